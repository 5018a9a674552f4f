//! Which elements and attributes MJCF has, and where.
//!
//! One row lists elements that have the same parent and the same attributes; the names are those of MuJoCo 4.0.0's
//! reference. What is not in the table is an error with a suggestion. `worldbody`, `frame` and `replicate` have the
//! children of `body`.

use crate::load_error::LoadError;
use crate::xml_tree::Element;

/// Rejects every element and attribute that MJCF does not have.
pub(crate) fn check(root: &Element) -> Result<(), LoadError> {
    if &*root.name != "mujoco" {
        return Err(root.error("this is not an MJCF model: the outermost element must be `mujoco`"));
    }
    check_attributes(root, "model")?;
    check_children(root)
}

fn check_children(element: &Element) -> Result<(), LoadError> {
    let parent = match &*element.name {
        "worldbody" | "frame" | "replicate" => "body",
        name => name,
    };
    for child in &element.children {
        let rows = || ELEMENTS.iter().filter(|row| row.0 == parent);
        match rows().find(|row| row.1.split(' ').any(|name| name == &*child.name)) {
            Some((_, _, attributes)) => check_attributes(child, attributes)?,
            None => {
                let known = rows().flat_map(|row| row.1.split(' '));
                let hint = suggestion(&child.name, known);
                return Err(child.error(format!("unknown element in `{}`{hint}", element.name)));
            }
        }
        check_children(child)?;
    }
    Ok(())
}

fn check_attributes(element: &Element, known: &str) -> Result<(), LoadError> {
    match element.attributes.iter().find(|a| !known.split(' ').any(|name| name == &*a.name)) {
        None => Ok(()),
        Some(a) => {
            let hint = suggestion(&a.name, known.split(' '));
            Err(a.place.error(format!("{}: unknown attribute `{}`{hint}", element.label(), a.name)))
        }
    }
}

/// `; did you mean `x`?` for the nearest name within a third of its length.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    known
        .filter(|k| !k.is_empty())
        .map(|k| (edit_distance(name, k), k))
        .filter(|(distance, k)| *distance <= k.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map_or(String::new(), |(_, k)| format!("; did you mean `{k}`?"))
}

/// Levenshtein's distance; names of more than 40 characters are not compared.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(41).collect(), b.chars().collect());
    if a.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Parent, elements, attributes.
#[rustfmt::skip]
const ELEMENTS: &[(&str, &str, &str)] = &[
    ("mujoco", "option", "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity \
       wind magnetic density viscosity o_margin o_solref o_solimp o_friction integrator cone jacobian \
       solver iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints \
       actuatorgroupdisable"),
    ("option", "flag", "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart \
       filterparent actuation refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd \
       override energy fwdinv invdiscrete sleep diagexact ipc speculative"),
    ("mujoco", "compiler", "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb \
       eulerseq meshdir texturedir discardvisual usethread fusestatic inertiafromgeom inertiagrouprange \
       saveinertial savecompiled savecanonical assetdir alignfree conflict passthrough"),
    ("compiler", "lengthrange", "mode useexisting uselimit accel maxforce timeconst timestep inttotal interval tolrange"),
    ("mujoco", "size", "memory njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam \
       nuser_tendon nuser_actuator nuser_sensor"),
    ("mujoco", "statistic", "meaninertia meanmass meansize extent center"),
    ("mujoco", "asset deformable contact equality tendon actuator sensor keyframe visual custom extension", ""),
    ("asset", "mesh", "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal \
       maxhullvert inertia builtin params material"),
    ("mesh", "plugin", "plugin instance"),
    ("plugin", "config", "key value"),
    ("asset", "hfield", "name content_type file nrow ncol size elevation"),
    ("asset", "skin", "name file material rgba inflate vertex texcoord face group"),
    ("skin", "bone", "body bindpos bindquat vertid vertweight"),
    ("asset", "texture", "name class type colorspace content_type file gridsize gridlayout fileright fileleft fileup \
       filedown filefront fileback builtin rgb1 rgb2 mark markrgb random width height hflip vflip \
       nchannel embed"),
    ("asset", "material", "name class texture texrepeat texuniform emission specular shininess reflectance metallic \
       roughness rgba"),
    ("material", "layer", "texture role"),
    ("asset", "model", "name file content_type"),
    ("body", "inertial", "pos quat mass diaginertia axisangle xyaxes zaxis euler fullinertia"),
    ("body", "joint", "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit \
       solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref \
       springref springyield armature damping frictionloss user"),
    ("body", "freejoint", "name group align"),
    ("body", "geom", "name class type contype conaffinity condim group priority size material friction mass density \
       shellinertia solmix solref solimp margin gap surfacevel adhesion fromto pos quat axisangle \
       xyaxes zaxis euler hfield mesh fitscale rgba castshadow fluidshape fluidcoef user"),
    ("geom", "plugin", "plugin instance"),
    ("body", "attach", "model body frame prefix"),
    ("body", "site", "name class type group pos quat axisangle xyaxes zaxis euler material mesh size fromto rgba user"),
    ("body", "camera", "name class projection fovy ipd resolution output pos quat axisangle xyaxes zaxis euler mode \
       target focal focalpixel principal principalpixel sensorsize user"),
    ("body", "light", "name class directional type castshadow active pos dir bulbradius intensity range attenuation \
       cutoff softness exponent ambient diffuse specular mode target texture"),
    ("body", "plugin", "plugin instance"),
    ("body", "flexcomp", "name type group dim dof count cellcount spacing radius rigid mass inertiabox scale file mesh \
       point element texcoord material rgba flatskin pos quat axisangle xyaxes zaxis euler origin"),
    ("flexcomp", "edge", "equality solref solimp stiffness damping"),
    ("flexcomp", "elasticity", "young poisson shear damping thickness yield elastic2d section sectionsize"),
    ("flexcomp", "contact", "contype conaffinity condim priority friction solmix solref solimp margin gap selfcollide \
       activelayers passive"),
    ("flexcomp", "pin", "id range grid gridrange"),
    ("flexcomp", "plugin", "plugin instance"),
    ("deformable", "flex", "name group dim radius material rgba flatskin body vertex element texcoord elemtexcoord node \
       nodecoord cellcount dof"),
    ("flex", "contact", "contype conaffinity condim priority friction solmix solref solimp margin gap selfcollide \
       activelayers passive"),
    ("flex", "edge", "stiffness damping"),
    ("flex", "elasticity", "young poisson shear damping thickness yield elastic2d section sectionsize"),
    ("deformable", "skin", "name file material rgba inflate vertex texcoord face group"),
    ("contact", "pair", "name class geom1 geom2 condim friction solref solreffriction solimp gap margin adhesion"),
    ("contact", "exclude", "name body1 body2"),
    ("equality", "connect", "name class active solref solimp body1 body2 anchor site1 site2"),
    ("equality", "weld", "name class active solref solimp body1 body2 relpose anchor site1 site2 torquescale"),
    ("equality", "joint", "name class active solref solimp joint1 joint2 polycoef"),
    ("equality", "tendon", "name class active solref solimp tendon1 tendon2 polycoef"),
    ("equality", "flex", "name class active solref solimp flex"),
    ("equality", "flexstrain", "name class active solref solimp flex cell"),
    ("tendon", "spatial", "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit \
       solreffriction solimpfriction frictionloss springlength springyield width material margin \
       stiffness damping armature rgba user"),
    ("spatial", "site", "site"),
    ("spatial", "geom", "geom sidesite"),
    ("spatial", "pulley", "divisor"),
    ("tendon", "fixed", "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit \
       solreffriction solimpfriction frictionloss springlength springyield margin stiffness damping \
       armature user"),
    ("fixed", "joint", "joint coef"),
    ("actuator", "general", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited actlimited \
       forcerange actrange lengthrange gear damping armature cranklength joint jointinparent tendon \
       slidersite cranksite site refsite body actdim input velrange ffrange inheritrange dyntype \
       gaintype biastype dynprm gainprm biasprm actearly"),
    ("actuator", "motor", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange \
       lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
       site refsite"),
    ("actuator", "position", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited inheritrange \
       forcerange lengthrange gear damping armature cranklength joint jointinparent tendon slidersite \
       cranksite site refsite kp kv dampratio timeconst"),
    ("actuator", "velocity", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange \
       lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
       site refsite kv"),
    ("actuator", "intvelocity", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited actlimited \
       forcerange actrange inheritrange lengthrange gear damping armature cranklength joint \
       jointinparent tendon slidersite cranksite site refsite kp kv dampratio"),
    ("actuator", "orientation", "name class group nsample interp delay ctrlrange user forcelimited forcerange joint site refsite \
       kp kv dampratio input"),
    ("actuator", "pid", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited posrange velrange \
       ffrange forcerange inheritrange lengthrange gear damping armature cranklength joint \
       jointinparent tendon slidersite cranksite site refsite kp kv dampratio ki imax slewmax input"),
    ("actuator", "damper", "name class group nsample interp delay ctrlrange user forcelimited forcerange lengthrange gear \
       damping armature cranklength joint jointinparent tendon slidersite cranksite site refsite kv"),
    ("actuator", "cylinder", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange \
       lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
       site refsite timeconst area diameter bias"),
    ("actuator", "muscle", "name class group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange \
       lengthrange gear damping armature cranklength joint jointinparent tendon slidersite cranksite \
       timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax"),
    ("actuator", "adhesion", "name class group nsample interp delay ctrlrange user forcelimited forcerange body gain"),
    ("actuator", "dcmotor", "name class group nsample interp delay ctrlrange user ctrllimited lengthrange gear damping \
       armature cranklength joint jointinparent tendon slidersite cranksite site refsite motorconst \
       resistance nominal saturation inductance cogging controller thermal lugre input"),
    ("actuator", "plugin", "name class group nsample interp delay ctrlrange user plugin instance ctrllimited forcelimited \
       actlimited forcerange actrange lengthrange gear damping armature cranklength joint jointinparent \
       site actdim dyntype dynprm tendon cranksite slidersite actearly"),
    ("sensor", "touch accelerometer velocimeter gyro force torque magnetometer", "name nsample interp delay interval cutoff noise user site"),
    ("sensor", "camprojection", "name nsample interp delay interval cutoff noise user site camera"),
    ("sensor", "rangefinder", "name nsample interp delay interval cutoff noise user site camera data"),
    ("sensor", "jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc", "name nsample interp delay interval cutoff noise user joint"),
    ("sensor", "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc", "name nsample interp delay interval cutoff noise user tendon"),
    ("sensor", "actuatorpos actuatorvel actuatorfrc", "name nsample interp delay interval cutoff noise user actuator"),
    ("sensor", "framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel", "name nsample interp delay interval cutoff noise user objtype objname reftype refname"),
    ("sensor", "framelinacc frameangacc", "name nsample interp delay interval cutoff noise user objtype objname"),
    ("sensor", "subtreecom subtreelinvel subtreeangmom", "name nsample interp delay interval cutoff noise user body"),
    ("sensor", "insidesite", "name nsample interp delay interval cutoff noise user site objtype objname enclosed"),
    ("sensor", "distance normal fromto", "name nsample interp delay interval cutoff noise user geom1 geom2 body1 body2"),
    ("sensor", "contact", "name nsample interp delay interval cutoff noise user geom1 geom2 body1 body2 subtree1 subtree2 \
       site num data reduce"),
    ("sensor", "e_potential e_kinetic clock", "name nsample interp delay interval cutoff noise user"),
    ("sensor", "tactile", "name geom mesh nsample interp delay interval cutoff user"),
    ("sensor", "user", "name objtype objname datatype needstage dim cutoff noise user"),
    ("sensor", "plugin", "name plugin instance cutoff objtype objname reftype refname user"),
    ("keyframe", "key", "name time qpos qvel act mpos mquat ctrl plastic"),
    ("visual", "global", "cameraid orthographic fovy ipd azimuth elevation linewidth glow offwidth offheight realtime \
       ellipsoidinertia bvactive"),
    ("visual", "quality", "shadowsize offsamples numslices numstacks numquads"),
    ("visual", "headlight", "ambient diffuse specular active"),
    ("visual", "map", "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip shadowscale \
       actuatortendon"),
    ("visual", "scale", "forcewidth contactwidth contactheight connect com camera light selectpoint jointlength \
       jointwidth actuatorlength actuatorwidth framelength framewidth constraint slidercrank frustum"),
    ("visual", "rgba", "fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light \
       selectpoint connect contactpoint contactforce contactfriction contacttorque contactgap \
       rangefinder constraint slidercrank crankbroken frustum bv bvactive"),
    ("mujoco", "default", "class"),
    ("default", "mesh", "scale maxhullvert inertia"),
    ("default", "texture", "type colorspace gridsize gridlayout builtin rgb1 rgb2 mark markrgb random width height hflip \
       vflip nchannel embed"),
    ("default", "material", "texture texrepeat texuniform emission specular shininess reflectance metallic roughness rgba"),
    ("default", "joint", "type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit \
       solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref \
       springref springyield armature damping frictionloss user"),
    ("default", "geom", "type contype conaffinity condim group priority size material friction mass density shellinertia \
       solmix solref solimp margin gap surfacevel adhesion fromto pos quat axisangle xyaxes zaxis euler \
       hfield mesh fitscale rgba castshadow fluidshape fluidcoef user"),
    ("default", "site", "type group pos quat axisangle xyaxes zaxis euler material mesh size fromto rgba user"),
    ("default", "camera", "projection fovy ipd resolution output pos quat axisangle xyaxes zaxis euler mode focal \
       focalpixel principal principalpixel sensorsize user"),
    ("default", "light", "directional type castshadow active pos dir bulbradius intensity range attenuation cutoff \
       softness exponent ambient diffuse specular mode"),
    ("default", "pair", "condim friction solref solreffriction solimp gap margin adhesion"),
    ("default", "equality", "active solref solimp"),
    ("default", "tendon", "group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit solreffriction \
       solimpfriction frictionloss springlength springyield width material margin stiffness damping \
       armature rgba user"),
    ("default", "general", "group nsample interp delay ctrlrange user ctrllimited forcelimited actlimited forcerange \
       actrange gear damping armature cranklength actdim input velrange ffrange inheritrange dyntype \
       gaintype biastype dynprm gainprm biasprm actearly"),
    ("default", "motor", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear damping \
       armature cranklength"),
    ("default", "position", "group nsample interp delay ctrlrange user ctrllimited forcelimited inheritrange forcerange gear \
       damping armature cranklength kp kv dampratio timeconst"),
    ("default", "velocity", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear damping \
       armature cranklength kv"),
    ("default", "intvelocity", "group nsample interp delay ctrlrange user ctrllimited forcelimited actlimited forcerange \
       actrange inheritrange gear damping armature cranklength kp kv dampratio"),
    ("default", "orientation", "group nsample interp delay ctrlrange user forcelimited forcerange kp kv dampratio input"),
    ("default", "pid", "group nsample interp delay ctrlrange user ctrllimited forcelimited posrange velrange ffrange \
       forcerange inheritrange gear damping armature cranklength kp kv dampratio ki imax slewmax input"),
    ("default", "damper", "group nsample interp delay ctrlrange user forcelimited forcerange gear damping armature \
       cranklength kv"),
    ("default", "cylinder", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear damping \
       armature cranklength timeconst area diameter bias"),
    ("default", "muscle", "group nsample interp delay ctrlrange user ctrllimited forcelimited forcerange gear damping \
       armature cranklength timeconst range force scale lmin lmax vmax fpmax fvmax"),
    ("default", "adhesion", "group nsample interp delay ctrlrange user forcelimited forcerange gain"),
    ("default", "dcmotor", "group nsample interp delay ctrlrange user ctrllimited gear damping armature cranklength \
       motorconst resistance nominal saturation inductance cogging controller thermal lugre input"),
    ("custom", "numeric", "name size data"),
    ("custom", "text", "name data"),
    ("custom", "tuple", "name"),
    ("tuple", "element", "objtype objname prm"),
    ("extension", "plugin", "plugin"),
    ("plugin", "instance", "name"),
    ("instance", "config", "key value"),
    ("mujoco", "worldbody", ""),
    ("body", "body", "name childclass pos quat axisangle xyaxes zaxis euler mocap gravcomp sleep simple fuse user"),
    ("body", "frame", "name childclass pos quat axisangle xyaxes zaxis euler scale scaling massscale"),
    ("body", "replicate", "count sep offset euler"),
    ("default", "default", "class"),
];
