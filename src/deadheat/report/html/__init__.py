"""report.html: one file that asks nothing of any network. Results -> views (plain values) -> templates.

Pictures are drawn by templates rather than by altair and vl-convert, for three reasons, each measured:
fifteen charts of 60 contenders (5 workloads) took Vega 1.6 s and 160 MB on the machine where the whole
page is to take less than 2 s and the referee less than 200 MB; a mark here carries its contender, so that
filters, hidden rows and another reference reach the pictures too; and positions are shares of the width,
so that one picture serves 360 px and 1,600 px with text that stays readable.
"""
