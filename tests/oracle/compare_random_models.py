#!/usr/bin/env python3
"""Compares random models with MuJoCo's compiler, array by array.

    tests/oracle/compare_random_models.py [FIRST_SEED [COUNT]]

Each seed makes one model: bodies up to four deep, joints, geoms of every primitive, frames, replicas, nested default
classes, every orientation notation, actuator shortcuts, contact pairs. A model that both sides refuse agrees. Exits with
1, and leaves the model in the current folder, if one differs.
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

import mujoco

import compare_compiled_arrays as oracle

CLASSES = ["a", "b", "c"]


class ModelWriter:
    """Writes one random MJCF model; the seed decides everything."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {"joint": [], "geom": [], "body": []}
        self.count = 0

    def numbers(self, count, low=-1.0, high=1.0):
        return " ".join(f"{self.random.uniform(low, high):.4g}" for _ in range(count))

    def maybe(self, probability, text):
        return text if self.random.random() < probability else ""

    def of_class(self):
        return self.maybe(0.3, f'class="{self.random.choice(CLASSES)}" ')

    def name(self, kind, replicated):
        if replicated:
            return ""
        self.count += 1
        # Ends in a letter, so that no name equals another with a replica's number after it.
        self.names[kind].append(f"{kind}{self.count}x")
        return f'name="{self.names[kind][-1]}" '

    def orientation(self):
        n = self.numbers
        notations = [
            "",
            f'quat="{n(4)}"',
            f'axisangle="{n(3)} {n(1, -180, 180)}"',
            f'euler="{n(3, -180, 180)}"',
            f'zaxis="{n(3)}"',
            f'xyaxes="{n(6)}"',
        ]
        return self.random.choice(notations)

    def geom(self, replicated=False):
        r, n, maybe = self.random, self.numbers, self.maybe
        shape = r.choice(["sphere", "capsule", "box", "cylinder", "ellipsoid"])
        segment = shape != "sphere" and r.random() < 0.3
        placed = f'fromto="{n(6)}" ' if segment else maybe(0.7, f'pos="{n(3)}" ') + self.orientation()
        return (
            f'<geom {self.of_class()}{self.name("geom", replicated)}type="{shape}" size="{n(3, 0.05, 0.4)}" {placed}'
            + maybe(0.2, f' mass="{n(1, 0.1, 3)}"')
            + maybe(0.2, f' density="{n(1, 100, 2000)}"')
            + maybe(0.1, ' shellinertia="true"')
            + maybe(0.2, f' group="{r.randint(0, 5)}"')
            + maybe(0.3, f' friction="{n(r.randint(1, 3), 0, 1)}"')
            + maybe(0.2, f' solref="{n(r.randint(1, 2), 0.01, 1)}"')
            + maybe(0.2, f' solimp="{n(r.randint(1, 5), 0.1, 0.9)}"')
            + maybe(0.2, f' margin="{n(1, 0, 1)}" gap="{n(1, 0, 1)}" solmix="{n(1, 0, 2)}"')
            + maybe(0.2, f' priority="{r.randint(0, 3)}" condim="{r.choice([1, 3, 4, 6])}"')
            + maybe(0.2, f' contype="{r.randint(0, 3)}" conaffinity="{r.randint(0, 3)}"')
            + "/>"
        )

    def joint(self, kind, replicated=False):
        r, n, maybe = self.random, self.numbers, self.maybe
        low = "0" if kind == "ball" else n(1, -90, 0)
        return (
            f'<joint {self.of_class()}{self.name("joint", replicated)}type="{kind}" '
            + maybe(0.5, f'pos="{n(3)}" ')
            + maybe(0.8, f'axis="{n(3)}" ')
            + maybe(0.4, f'range="{low} {n(1, 1, 90)}" ')
            + maybe(0.3, f'limited="{r.choice(["false", "auto"])}" ')
            + maybe(0.3, f'stiffness="{n(r.randint(1, 3), 0, 9)}" ')
            + maybe(0.3, f'damping="{n(r.randint(1, 3), 0, 9)}" ')
            + maybe(0.3, f'armature="{n(1, 0, 1)}" ')
            + maybe(0.2, f'ref="{n(1, -50, 50)}" ')
            + maybe(0.2, f'springref="{n(1, -50, 50)}" ')
            + maybe(0.2, f'springdamper="{n(2, 0.1, 1)}" ')
            + maybe(0.2, f'frictionloss="{n(1, 0, 1)}" margin="{n(1)}" ')
            + maybe(0.2, f'solreflimit="{n(1, 0.1, 1)}" solimplimit="{n(3, 0.1, 0.9)}" ')
            + maybe(0.2, f'actuatorfrcrange="{n(1, -9, 0)} {n(1, 1, 2)}" ')
            + "/>"
        )

    def joints(self, depth, replicated):
        r = self.random
        kind = r.random()
        if depth == 0 and kind < 0.3:
            return r.choice(["<freejoint/>", '<freejoint align="true"/>', '<joint type="free"/>'])
        if kind < 0.45:
            return self.joint("ball", replicated) + self.maybe(0.3, self.joint("slide", replicated))
        if kind > 0.9:
            return ""
        several = "".join(self.joint(r.choice(["hinge", "slide"]), replicated) for _ in range(r.randint(1, 3)))
        framed = f'<frame {self.orientation()} pos="{self.numbers(3)}">{self.joint("hinge", replicated)}</frame>'
        return several + self.maybe(0.2, framed)

    def inertial(self):
        n = self.numbers
        diagonal = f'diaginertia="{n(3, 1, 1.9)}" {self.orientation()}'
        full = f'fullinertia="{n(3, 1, 1.5)} {n(3, -0.2, 0.2)}"'
        return f'<inertial pos="{n(3)}" mass="{n(1, 0.1, 3)}" {self.random.choice([diagonal, full])}/>'

    def body(self, depth, replicated=False):
        r, n, maybe = self.random, self.numbers, self.maybe
        mode = r.choice(["fixed", "track", "trackcom"])
        return (
            f'<body {self.name("body", replicated)}'
            + maybe(0.8, f'pos="{n(3)}" ')
            + self.orientation()
            + maybe(0.2, f' childclass="{r.choice(CLASSES)}"')
            + maybe(0.1, f' gravcomp="{n(1)}"')
            + maybe(0.1, ' simple="false"')
            + ">"
            + self.joints(depth, replicated)
            + maybe(0.25, self.inertial())
            + "".join(self.geom(replicated) for _ in range(r.randint(1, 3)))
            + maybe(0.4, f'<site {self.of_class()}pos="{n(3)}" {self.orientation()}/>')
            + maybe(0.2, f'<camera mode="{mode}" pos="{n(3)}" {self.orientation()}/>')
            + maybe(0.2, f'<light mode="{mode}" pos="{n(3)}" dir="{n(3)}"/>')
            + "".join(self.child(depth + 1, replicated) for _ in range(r.choice([0, 0, 1, 1, 2]) if depth < 3 else 0))
            + "</body>"
        )

    def child(self, depth, replicated=False):
        r, n, maybe = self.random, self.numbers, self.maybe
        kind = r.random()
        if kind < 0.15:
            childclass = maybe(0.3, f' childclass="{r.choice(CLASSES)}"')
            frame = "<frame " + maybe(0.5, f'pos="{n(3)}" ') + self.orientation() + childclass + ">"
            return frame + self.body(depth, replicated) + maybe(0.5, self.geom(replicated)) + "</frame>"
        if kind < 0.25:
            options = maybe(0.5, 'sep="_" ') + maybe(0.5, f'euler="{n(3, -90, 90)}" ')
            replicate = f'<replicate count="{r.randint(1, 4)}" offset="{n(3)}" {options}>'
            return replicate + self.body(depth, True) + "</replicate>"
        return self.body(depth, replicated)

    def default_class(self):
        n, maybe = self.numbers, self.maybe
        geom = f'<geom friction="{n(2, 0, 1)}" solimp="{n(2, 0.1, 0.9)}" margin="{n(1)}" {self.orientation()}/>'
        joint = f'<joint armature="{n(1, 0, 1)}" damping="{n(2, 0, 1)}" axis="{n(3)}" stiffness="{n(3, 0, 1)}"/>'
        kv = maybe(0.5, f'kv="{n(1, 0, 1)}"')
        actuators = [
            f'<position kp="{n(1, 1, 9)}" {kv}/>',
            f'<motor gear="{n(1)}"/>',
            f'<velocity kv="{n(1, 0, 3)}"/>',
            f'<general gainprm="{n(2)}" biasprm="{n(3, -1, -0.1)}" biastype="affine"/>',
        ]
        return maybe(0.7, geom) + maybe(0.7, joint) + maybe(0.4, self.random.choice(actuators))

    def actuator(self, joint):
        n = self.numbers
        gains = [f'kp="{n(1, 1, 9)}" dampratio="{n(1, 0.1, 1)}"', f'kv="{n(1, 0, 1)}"', ""]
        start = f'{self.of_class()}joint="{joint}"'
        kinds = [
            f'<motor {start} gear="{n(1)}"/>',
            f"<position {start} {self.random.choice(gains)}/>",
            f"<velocity {start}/>",
            f'<general {start} ctrlrange="-1 2" forcerange="-2 1"/>',
            f'<general {start} gaintype="affine"/>',
        ]
        return self.random.choice(kinds)

    def model(self):
        r, n, maybe = self.random, self.numbers, self.maybe
        compiler = (
            '<compiler balanceinertia="true" '
            + maybe(0.3, f'eulerseq="{"".join(r.choice("xyzXYZ") for _ in range(3))}" ')
            + maybe(0.2, 'angle="radian" ')
            + maybe(0.2, 'inertiafromgeom="true" ')
            + maybe(0.2, 'boundmass=".5" boundinertia=".1" ')
            + maybe(0.1, 'alignfree="true" ')
            + "/>"
        )
        inner = f'<default class="a">{self.default_class()}<default class="b">{self.default_class()}</default></default>'
        inner += f'<default class="c">{self.default_class()}</default>'
        defaults = f"<default>{self.default_class()}{inner}</default>"
        world = maybe(0.7, f'<geom type="plane" size="{n(3, 0.1, 5)}"/>')
        world += "".join(self.child(0) for _ in range(r.randint(1, 4)))
        scalar = re.findall(r'name="(\w+)" type="(?:hinge|slide)"', world)
        actuators = "".join(self.actuator(r.choice(scalar)) for _ in range(r.randint(0, 5) if scalar else 0))
        contacts = ""
        for _ in range(r.randint(0, 2) if len(self.names["geom"]) > 1 else 0):
            first, second = r.sample(self.names["geom"], 2)
            own = maybe(0.5, f'friction="{n(2, 0, 1)}" condim="1"')
            contacts += f'<pair geom1="{first}" geom2="{second}" {own}/>'
        if len(self.names["body"]) > 1:
            first, second = r.sample(self.names["body"], 2)
            contacts += f'<exclude body1="{first}" body2="{second}"/>'
        sections = f"<worldbody>{world}</worldbody><actuator>{actuators}</actuator><contact>{contacts}</contact>"
        return f"<mujoco>{compiler}{defaults}{sections}</mujoco>"


def disagreement(path):
    """What differs, or None."""
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as refusal:
        try:
            oracle.dump(path)
        except RuntimeError:
            return None
        return f"MuJoCo refuses what Phalanx loads: {refusal}"
    try:
        failures = oracle.compare(path)[2]
    except RuntimeError as refusal:
        # Two parallel joints in one body: MuJoCo warns and caps the inverse, Phalanx refuses.
        if "mass matrix is not positive" in str(refusal) and model.dof_invweight0.max() > 1e12:
            return None
        return f"Phalanx refuses: {refusal}"
    return "; ".join(failures) or None


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    subprocess.run(["cargo", "build", "-q", "-p", "phalanx-model", "--example", "dump_arrays"], cwd=oracle.ROOT, check=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            path = pathlib.Path(folder) / f"random_{seed}.xml"
            path.write_text(ModelWriter(seed).model())
            problem = disagreement(path)
            if problem:
                failed += 1
                kept = pathlib.Path.cwd() / path.name
                kept.write_text(path.read_text())
                print(f"seed {seed}: {problem} (model kept in {kept})")
    print(f"{count - failed} of {count} random models agree with MuJoCo {mujoco.__version__}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
