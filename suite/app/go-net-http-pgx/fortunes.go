package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const everyFortune = "SELECT id, message FROM fortune"

//go:embed fortunes.html
var fortunesHTML string

var fortunesPage = template.Must(template.New("fortunes").Parse(fortunesHTML))

type fortune struct {
	ID      int32
	Message string
}

// fortunes is the table `fortune`.
type fortunes struct {
	pool *pgxpool.Pool
}

// page shows every fortune and the one that the request adds, by message.
func (s *fortunes) page(w http.ResponseWriter, r *http.Request) {
	rows, err := s.pool.Query(r.Context(), everyFortune)
	if err != nil {
		fail(w, r, err)
		return
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fortune])
	if err != nil {
		fail(w, r, err)
		return
	}
	all = append(all, fortune{Message: r.URL.Query().Get("add")})
	slices.SortFunc(all, func(a, b fortune) int { return strings.Compare(a.Message, b.Message) })

	var body bytes.Buffer
	if err := fortunesPage.Execute(&body, all); err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(body.Bytes())
}
