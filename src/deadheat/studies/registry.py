"""The methods by which a workload can be raced: ours, and that of published studies."""

from deadheat.plan import OURS, PLANNER, Planner
from deadheat.results import derive
from deadheat.results.derive import Derive
from deadheat.studies import derive as study
from deadheat.studies.plan import METHOD, StudyPlanner
from deadheat.util.registry import Registry

DERIVERS: Registry[Derive] = Registry("method", {OURS: derive.race_of, METHOD: study.race_of})
PLANNERS: Registry[Planner] = Registry("method", {OURS: PLANNER, METHOD: StudyPlanner()})
