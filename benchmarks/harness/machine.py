"""What a figure was measured on: device, driver, commit."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def output_of(*words):
    """What a program prints, or nothing if it cannot be run."""
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def gpu():
    """Name and driver of the first GPU; empty if there is none."""
    line = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()[:1]
    return [part.strip() for part in line[0].split(",")] if line else []


def cpu(threads):
    """The processor's name and how many of its threads are used."""
    names = [line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{names[0] if names else 'CPU'} ({threads} thread{'s' if threads > 1 else ''})"


def commit(binary):
    """The commit of the program: a file COMMIT beside it, else the working tree's."""
    file = pathlib.Path(binary).resolve().parent / "COMMIT"
    if file.exists():
        return file.read_text().strip()
    changed = "+" if output_of("git", "-C", str(ROOT), "status", "--porcelain", "--", "crates", "kernels", "Cargo.lock") else ""
    head = output_of("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    return head + changed if head else "unknown"
