"""Checks that a model which Phalanx does not support is refused with a message, and notices when that has changed."""

from phalanx_binary import RunFailed
from report import Check
from states import start_states


def compare_refusal(name, path, model, binary, reason):
    check = Check(name, "refusal", 0)
    check.states = 1
    check.worst_field = reason
    try:
        binary.forward(path, start_states(name, model, 1)[0])
    except RunFailed as error:
        if not error.is_refusal:
            check.fail(None, f"not refused as it should be: {error}")
    else:
        check.fail(None, f"is read now: take it out of REFUSED in models.py ({reason})")
    return [check]
