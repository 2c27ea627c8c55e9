"""What the clock and the counters of a run hold, and what its loop returns: names of places in `Course`."""

from __future__ import annotations

# What `drive` returns: the budget is used up, the end is reached, the record is full, an event took place, the next
# step would be cut short by the end, the integrator suspects stiffness, or failed.
RUNNING, FINISHED, FULL, EVENT, LAST, STIFF, FAILED = range(7)
# The clock: now, the step to try next, the end, the start of the last step, the longest and the shortest step allowed,
# the step that was last taken, and the error of that step relative to what is allowed; where the next step must stop,
# and when a sampler is due; where the last step ended, which an event may have cut since.
T, H, END, T_OLD, LONGEST, SHORTEST, TAKEN, WORST, STOP, DUE, T_END = range(11)
# What is counted: steps, steps that were rejected, the status behind a failure, the event that took place, steps whose
# joints could not be closed as asked; the numbers of positions and of speeds; the next output and how many are written;
# whether speeds after a step still need to be projected; whether outputs stay as the integrator has them; whether
# forces have jumped since the last step, so that its memory is worth nothing; whether joints are nearly closed only
# after this step; what states inside the last step come from; evaluations and factorizations made for outputs alone;
# whether the method is explicit.
STEPS, REJECTED, REASON, HAPPENED, LOOSE, NQ, NV, NEXT, WRITTEN, ROUGH, AS_IS, JUMPED, AJAR, INSIDE, ASIDE = range(15)
EXPLICIT = 15
# Why a step fails, beside what a mechanism may say: it became too small, or led too far from the constraints.
COLLAPSED, DRIFTED = 10, 11
# What interpolation within a step may say: its polynomial is not as accurate as the step. Where states inside the last
# step come from is one of these two, too.
SURE, UNSURE = 0, 12
