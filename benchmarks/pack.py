#!/usr/bin/env python3
"""Packs the benchmark for a machine with a GPU that reaches no package registry and builds no Rust.

    python3 benchmarks/pack.py OUT [--models FOLDER] [--peer] [--part-bytes 58000000]

OUT/bundle holds the stripped program, its commit, the scenes' models, compare.py and what it needs. With --peer, OUT/peer_1,
OUT/peer_2, ... hold MuJoCo Warp with all that it imports, cut so that each part can be carried alone; docs/benchmarks.md says how
to unpack them. The parts are for Python 3.12 on x86-64 with numpy and absl; --python says otherwise.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

import mujoco

from harness import machine
from harness.scene import FOLDER, SceneError, load_scene, scene_names

PEER = ["mujoco-warp==4.0.0", "warp-lang==1.19.0", "mujoco==4.0.0", "mujoco-core==4.0.0", "glfw", "pyopengl", "etils",
        "importlib_resources"]
PLATFORMS = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"]
NOT_NEEDED = ["warp/bin/warp-clang.so", "warp/examples", "warp/tests", "mujoco/doc", "mujoco_warp/test_data/aloha_pot",
              "mujoco_warp/test_data/flex"]  # a compiler for CPUs, tests, large meshes

ATTACHED = re.compile(r'<model [^>]*file="([^"]+)"')  # a model that another takes parts of


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--phalanx", type=pathlib.Path, default=machine.ROOT / "target/release/phalanx")
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--peer", action="store_true", help="also MuJoCo Warp, from PyPI; minutes")
    parser.add_argument("--part-bytes", type=int, default=58_000_000)
    parser.add_argument("--python", default="3.12")
    options = parser.parse_args()
    mujoco.set_mju_user_warning(lambda message: None)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / ".gitignore").write_text("*\n")
    pack_bundle(options, options.out / "bundle")
    if options.peer:
        pack_peer(options)


def pack_bundle(options, bundle):
    """Everything of ours, and the models that are here."""
    shutil.rmtree(bundle, ignore_errors=True)
    (bundle / "models").mkdir(parents=True)
    shutil.copy(options.phalanx, bundle / "phalanx")
    subprocess.run(["strip", bundle / "phalanx"], check=True)
    (bundle / "COMMIT").write_text(machine.commit(options.phalanx) + "\n")
    shutil.copytree(FOLDER, bundle / "benchmarks", ignore=shutil.ignore_patterns("__pycache__", "results"))
    with tempfile.TemporaryDirectory() as work:
        for name in scene_names():
            try:
                scene = load_scene(name, options.models, work)
            except SceneError as error:
                print(f"left out: {error}")
                continue
            shutil.copy(scene.path, bundle / "models" / scene.settings["model"]["files"][0])
            for other in ATTACHED.findall(scene.path.read_text()):
                shutil.copy(scene.path.parent / other, bundle / "models")
    print(f"{bundle}: {size(bundle)} bytes")


def pack_peer(options):
    """Downloads the wheels, unpacks them into one folder, and cuts its compressed archive into parts."""
    with tempfile.TemporaryDirectory() as work:
        wheels, site = pathlib.Path(work, "wheels"), pathlib.Path(work, "site")
        platforms = [word for platform in PLATFORMS for word in ("--platform", platform)]
        download = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary=:all:", "--implementation", "cp",
                    "--python-version", options.python, *platforms, "-d", wheels]
        for package in PEER:  # one by one: a platform fits one wheel and not another
            subprocess.run([*download, package], check=True)
        for wheel in wheels.iterdir():
            zipfile.ZipFile(wheel).extractall(site)
        for name in NOT_NEEDED:
            path = site / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        archive = pathlib.Path(work, "site.tar.xz")
        with open(archive, "wb") as file:
            tar = subprocess.Popen(["tar", "-C", work, "-c", "site"], stdout=subprocess.PIPE)
            subprocess.run(["xz", "-T0", "-6"], stdin=tar.stdout, stdout=file, check=True)
            if tar.wait() != 0:
                sys.exit("tar failed")
        write_parts(archive, options)


def write_parts(archive, options):
    """Cuts the archive: OUT/peer_1/site.tar.xz.1, OUT/peer_2/site.tar.xz.2, ..."""
    for old in options.out.glob("peer_*"):
        shutil.rmtree(old)
    with open(archive, "rb") as file:
        for number, part in enumerate(iter(lambda: file.read(options.part_bytes), b""), start=1):
            folder = options.out / f"peer_{number}"
            folder.mkdir(parents=True)
            (folder / f"site.tar.xz.{number}").write_bytes(part)
            print(f"{folder}: {len(part)} bytes")


def size(folder):
    """Bytes of all its files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
