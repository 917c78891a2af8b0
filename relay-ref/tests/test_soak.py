"""A short soak; `make soak MINUTES=10` is the long one."""
import soak


def test_a_few_thousand_steps(tmp_path):
    run = soak.Soak(tmp_path, 1)
    soak.play(run, lambda: run.steps / 2000)
    assert run.steps >= 2000 and sum(room.folded for room in run.rooms) > 1000 and len(run.samples) > 5
