"""Pages of HTML by what they say, and the form of a server's own."""

from __future__ import annotations

import pytest

from deadheat.kinds import pages
from deadheat.kinds.pages import Form, FormError

RIGHT = "<table><tr><th>id</th></tr>{}</table>"
ROW = "<tr><td>{}</td><td>{}</td></tr>"
OWN = "<TABLE>\n<tr><th>id</th></tr>\n {}\n</TABLE>\n"
OWN_ROW = "<TR><td> {} </td>\n<td>{}</td></TR>"


def right(*values: str) -> str:
    return RIGHT.format("".join(ROW.format(id_, value) for id_, value in enumerate(values)))


def own(*values: str) -> str:
    return OWN.format("\n ".join(OWN_ROW.format(id_, value) for id_, value in enumerate(values)))


ONE = right("a", "&lt;b&gt; &amp; &quot;c&quot; it&#x27;s é")
ITS = own("a", '&#60;b> &#38; "c" it&apos;s é')


@pytest.mark.parametrize(
    ("got", "different"),
    [
        (ITS, None),
        (ONE.replace("&quot;", '"'), None),
        (ONE.replace("&lt;", "&amp;lt;"), 'expected in the page <b> & "c" it\'s é  got &lt;b> & '),
        (ONE.replace("&lt;b&gt;", "<b>"), "got <b>"),
        (ONE.replace("é", "e"), "it's é  got"),
        (ONE.replace("<td>a", "<td class='x'>a"), 'expected in the page <td>  got <td class="x">'),
        (ONE.replace("</table>", ""), "expected in the page </table>  got the end"),
        (ONE + "<p>", "expected in the page the end  got <p>"),
        (ONE.replace("</tr>", "<!-- x --></tr>"), "expected in the page </tr>  got <!-- x -->"),
    ],
)
def test_what_a_page_says_is_compared(got: str, different: str | None) -> None:
    found = pages.difference(ONE, got)
    assert found is None if different is None else different in str(found)


def test_a_doctype_is_compared_in_any_case() -> None:
    assert pages.difference("<!DOCTYPE html><p>", "<!doctype  HTML>\n<p>") is None
    assert pages.difference("<!DOCTYPE html><p>", "<p>") is not None


def test_by_one_page_of_a_server_all_its_others_are_known_to_the_byte() -> None:
    form = Form.of(ITS)
    assert form.page(ONE) == ITS
    other = right("x", "<".join(["", ""]).replace("<", "&lt;"), "it&#x27;s &gt; &amp; {token}")
    assert form.page(other) == own("x", "&#60;", "it&apos;s > &#38; {token}")


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("<p>nothing</p>", "its page has no two rows of two cells"),
        (right("a"), "its page has no two rows of two cells"),
        (right("a", "b").replace("<td>b", "<td> b"), "the rows of its page are not made alike"),
        (right("a", "b", "c").replace("b</td></tr>", "b</td></tr>\n"), "the rows of its page are not made"),
        (right("&quot;", '"'), 'it writes " as &quot; and as "'),
        (right("a", "b & c"), "it does not escape &"),
    ],
)
def test_pages_that_no_form_fits_are_refused(page: str, why: str) -> None:
    with pytest.raises(FormError, match=why.replace("&", "\\&")):
        Form.of(page)
