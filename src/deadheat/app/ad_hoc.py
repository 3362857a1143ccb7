"""Commands without a suite: what the first of them answers is what all must answer."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from deadheat.app import running
from deadheat.app.asking import asked
from deadheat.app.calling import called
from deadheat.app.commanding import commanded
from deadheat.app.trial import Heard, Trial, unvarying
from deadheat.errors import ExitCode, UserError
from deadheat.hosts.held import this_machine
from deadheat.kinds import answer_head, content_coding, structure
from deadheat.kinds.structure import TOP, Body
from deadheat.model.ab import Answers
from deadheat.model.login import TAKEN
from deadheat.model.mask import Masks
from deadheat.plan import Asked
from deadheat.report import revisions as words
from deadheat.run.progress import View
from deadheat.suite import ad_hoc, ad_hoc_suite
from deadheat.suite.ad_hoc import AdHoc, Answer, Call, Commands, Mix, Request
from deadheat.suite.suite import Suite, load
from deadheat.util.paths import cache_folder

# Two answers in one second share their Date, and whatever else goes by the clock.
APART_S = 1.1
# Text beyond this is compared by its digest: it is too long for the check to the byte that each slice gets.
LONGEST_BODY = 1 << 20
# Of a program's output so much is compared.
LONGEST_OUTPUT = 1000


@dataclass(frozen=True)
class Recorded:
    """The suite, the longest that a start of its first command took until it answered or ended, and how
    answers are compared, by workload, where that is by structure."""

    suite: Suite
    took_s: float
    answers: dict[str, Answers]

    def timed(self, asked: Asked) -> Asked:
        """What is asked, planned by what its starts or invocations take."""
        return replace(asked, invocation_s=self.took_s, start_s=self.took_s)


def recorded(wanted: Sequence[AdHoc], view: View, *, answers_may_differ: bool = False) -> Recorded:
    """These commands, written into the cache, a workload each, with the first one's answer as the right one.

    Raises UserError where the first does not start, serve or end well.
    """
    folder = ad_hoc.folder_of(wanted, cache_folder() / "ad-hoc")
    took_s, by_structure = 0.0, {}
    with (
        this_machine("what the first command answers") as (host, stop),
        tempfile.TemporaryDirectory(prefix="deadheat-services-") as logs,
    ):
        for each in wanted:
            for said in running.shared(each.commands):
                view.warn(said)
            ad_hoc_suite.write_contenders(each, folder)
            trial = Trial(each, folder, Path(logs), host, stop)
            heard = _heard(trial)
            took_s = max(took_s, heard[-1].took_s + trial.services_s)
            rights = _rights(trial, heard, view, answers_may_differ=answers_may_differ)
            if (found := _by_structure(each, rights)) is not None:
                by_structure[each.workload] = found
                view.note(f"{each.title or each.first.called}: {words.answers(found)}")
            ad_hoc_suite.write_workload(each, folder, rights)
    return Recorded(load(folder), took_s, by_structure)


def _rights(trial: Trial, heard: Sequence[Heard], view: View, *, answers_may_differ: bool) -> list[Answer]:
    """What is right: of each request of a mix, else one."""
    wanted = trial.wanted
    match wanted.request:
        case Mix(parts):
            # All were asked in turn, and that three times.
            of_each = [heard[place :: len(parts)] for place in range(len(parts))]
            pairs = zip(parts, of_each, strict=True)
            return [
                _served(_named(trial, part.name), part.request, own, view, any_=answers_may_differ)
                for part, own in pairs
            ]
        case Request() as request:
            return [_served(trial, request, heard, view, any_=answers_may_differ)]
    if answers_may_differ:
        return [Answer(body=None, status=heard[0].status)]
    match wanted.request:
        case Call():
            otherwise = "replies otherwise each time: the status alone is compared"
            return [unvarying(wanted, heard, view, otherwise)]
        case Commands():
            otherwise = "replies otherwise each time, or in no text: what it replies is not compared"
            return [unvarying(wanted, heard, view, otherwise)]
    return [_output(wanted, heard, view)]


def _named(trial: Trial, name: str) -> Trial:
    """The same, in whose messages the first command is asked for what has this name."""
    first, *others = trial.wanted.commands
    commands = (replace(first, title=f"{first.called}, {name}"), *others)
    return replace(trial, wanted=replace(trial.wanted, commands=commands))


def _served(trial: Trial, request: Request, heard: Sequence[Heard], view: View, *, any_: bool) -> Answer:
    """A server's answer; `any_`: whatever has its status."""
    if request.answer is not None:
        return Answer(body=request.answer, status=heard[0].status)
    if any_ or request.right_in_parts:
        return Answer(body=None, status=heard[0].status)
    if request.values:
        return _of_rows(trial.wanted, heard, view)
    right = _right(trial.wanted, request, heard, view)
    return (
        replace(right, body=None, structure=right.body) if _needs_structure(trial, request, right) else right
    )


def _by_structure(wanted: AdHoc, rights: Sequence[Answer]) -> Answers | None:
    """How answers are compared by structure, where one is; masks of a mix by the request's name too."""
    named = [f"{part.name} " for part in wanted.request.parts] if isinstance(wanted.request, Mix) else [""]
    found = [
        (name, _answers(right))
        for name, right in zip(named, rights, strict=True)
        if right.structure is not None
    ]
    if not found:
        return None
    masks = {f"{name}{path}": class_ for name, one in found for path, class_ in one.masks.items()}
    return Answers(fields=sum(one.fields for _, one in found), masks=masks)


def _heard(trial: Trial) -> list[Heard]:
    """Of two starts, more than a second apart, and of a server the second asked twice: what differs between
    them is nobody's fault. The last finds the caches warm, as a race does. Of a mix all requests in turn."""
    request = trial.wanted.request
    if request is None:
        # Where a parameter changes what is printed, no one output is right.
        at_each = list(product(*(values for _, values in trial.wanted.parameters)))
        first = [trial.prints(values) for values in at_each]
        time.sleep(APART_S)
        return [*first, trial.prints(at_each[0])]
    if isinstance(request, Call):
        return _of_two(partial(called, trial, request))
    if isinstance(request, Commands):
        return _of_two(partial(commanded, trial, request))
    if isinstance(request, Mix):
        return _of_all(trial, [part.request for part in request.parts])
    if request.values:
        return _of_each_row(trial, [request.of(row) for row in request.values])
    return _of_all(trial, [request])


def _of_two(heard: Callable[[int], list[Heard]]) -> list[Heard]:
    """Of two starts, asked once and twice."""
    first = heard(1)
    time.sleep(APART_S)
    return [*first, *heard(2)]


def _of_all(trial: Trial, requests: Sequence[Request]) -> list[Heard]:
    """Of two starts, of the second twice. Raises UserError where the statuses of one request differ."""
    heard = _of_two(lambda times: asked(trial, [*requests] * times))
    for place, each in enumerate(heard):
        asked_for, before = requests[place % len(requests)], heard[place % len(requests)]
        if each.status != before.status:
            raise UserError(
                f"{trial.wanted.first.called} answers {asked_for.path} with {before.status}, and then "
                f"{each.status}",
                code=ExitCode.NOTHING_MEASURED,
            )
    return heard


def _of_each_row(trial: Trial, requests: Sequence[Request]) -> list[Heard]:
    """Of two starts, all rows of each. Raises UserError where their statuses differ."""
    first = asked(trial, requests)
    time.sleep(APART_S)
    heard = [*first, *asked(trial, requests)]
    for each, request in zip(heard, [*requests, *requests], strict=True):
        if each.status != first[0].status:
            raise UserError(
                f"{trial.wanted.first.called} answers {requests[0].path} with {first[0].status}, and "
                f"{request.path} with {each.status}",
                hint="rows of values are answered with one status: the others want a request of their own",
                code=ExitCode.NOTHING_MEASURED,
            )
    return heard


def _output(wanted: AdHoc, heard: Sequence[Heard], view: View) -> Answer:
    """A program's, to the byte, where it is short and always the same."""
    data = heard[0].data
    if data is not None and len(data) <= LONGEST_OUTPUT and _same(heard):
        body = structure.read(data)
        if body is not None:
            return Answer(body=data.decode())
    when = "each time, or at each value" if wanted.parameters else "each time"
    view.note(
        f"{wanted.first.called} answers otherwise {when}, or at great length: the output is not compared"
    )
    return Answer(body=None)


def _right(wanted: AdHoc, request: Request, heard: Sequence[Heard], view: View) -> Answer:
    """A server's: to the byte where nothing varies and it comes in no coding, by digest where that is no text
    or long, else by structure. Raises UserError where a mask that was given is not of what it answers."""
    answer = _head(wanted, heard, view)
    bodies = _bodies(heard)
    if bodies is None:
        if _same(heard) and heard[0].data is not None:
            return replace(answer, sha256=hashlib.sha256(heard[0].data).hexdigest())
        view.note(
            f"{wanted.first.called} answers otherwise each time, in no text, or at great length: the body is "
            "not compared"
        )
        return answer
    masks = structure.learn(bodies, request.masks)
    _refuse_unfit(wanted, bodies, masks)
    assert heard[0].data is not None  # it was read
    text = heard[0].data.decode()
    if not masks and answer.coding == content_coding.IDENTITY:
        return replace(answer, body=text)
    added = {path: class_ for path, class_ in masks.items() if path not in request.masks}
    if added and TOP not in added:
        listed = ", ".join(f'"{path}" = "{class_}"' for path, class_ in added.items())
        view.note(f"{wanted.first.called} disagrees with itself; to keep that: masks = {{ {listed} }}")
    return replace(answer, structure=text, masks=masks)


def _of_rows(wanted: AdHoc, heard: Sequence[Heard], view: View) -> Answer:
    """A server's to each row of values, to the byte, where all are text in no coding and the same at both
    starts; else the status alone."""
    answer = _head(wanted, heard, view)
    texts = [_text(one) for one in heard]
    rows = len(texts) // 2
    read = [text for text in texts[:rows] if text is not None]
    if len(read) == rows and read == texts[rows:]:
        return replace(answer, of_rows=tuple(read))
    view.note(
        f"{wanted.first.called} answers a row otherwise each time, in no text, in a coding or at great "
        "length: the bodies are not compared"
    )
    return answer


def _text(heard: Heard) -> str | None:
    """Of a body that can be compared to the byte under load; None of any other."""
    if heard.data is None or len(heard.data) > LONGEST_BODY or heard.coding != content_coding.IDENTITY:
        return None
    try:
        text = heard.data.decode()
    except UnicodeDecodeError:
        return None
    return None if any(f"{{{name}}}" in text for name in TAKEN) else text


def _head(wanted: AdHoc, heard: Sequence[Heard], view: View) -> Answer:
    """What its head says each time; a Location by what all of them are like."""
    media, codings = {each.content_type for each in heard}, {each.coding for each in heard}
    locations, cookies = [each.location for each in heard], {each.cookies for each in heard}
    like = answer_head.pattern(locations)
    if len(set(locations)) > 1:
        held = "it is not compared" if like is None else f"compared is {like}"
        view.note(f"{wanted.first.called} answers with another Location each time: {held}")
    if len(cookies) > 1:
        view.note(f"{wanted.first.called} sets other cookies each time: their names are not compared")
    return Answer(
        None,
        heard[0].status,
        content_type=media.pop() if len(media) == 1 else None,
        coding=codings.pop() if len(codings) == 1 else None,
        location=like,
        cookies=cookies.pop() if len(cookies) == 1 else None,
    )


def _needs_structure(trial: Trial, request: Request, right: Answer) -> bool:
    """Whether another command answers with JSON that is not the first's to the byte: its keys may be in
    another order, and that alone is no difference. Whoever answers nothing yet is heard in the race."""
    if right.body is None or not _json(right.body.encode()):
        return False
    for other in trial.wanted.commands[1:]:
        try:
            [answer] = asked(trial.of(other), [request])
        except UserError:
            continue
        if answer.data is not None and answer.data != right.body.encode():
            return True
    return False


def _refuse_unfit(wanted: AdHoc, bodies: Sequence[Body], masks: Masks) -> None:
    for body in bodies:
        if unfit := structure.compare(bodies[0], body, masks).differences:
            raise UserError(
                f"{wanted.first.called} answers {unfit[0]}", hint="its mask says so: masks of that request"
            )


def _answers(right: Answer) -> Answers:
    assert right.structure is not None
    body = structure.read(right.structure.encode())
    assert body is not None
    return Answers(fields=structure.compare(body, body, right.masks).fields, masks=dict(right.masks))


def _bodies(heard: Sequence[Heard]) -> list[Body] | None:
    """None where one is no text, or too long."""
    found = [
        structure.read(each.data)
        for each in heard
        if each.data is not None and len(each.data) <= LONGEST_BODY
    ]
    read = [body for body in found if body is not None]
    return read if len(read) == len(heard) else None


def _same(heard: Sequence[Heard]) -> bool:
    return len({each.data for each in heard}) == 1


def _json(data: bytes) -> bool:
    body = structure.read(data)
    return body is not None and body.json and isinstance(body.value, dict | list)
