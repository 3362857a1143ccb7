package main

import (
	"embed"
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/template/html/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const everyFortune = "SELECT id, message FROM fortune"

//go:embed views/*.html
var viewFiles embed.FS

func views() fiber.Views {
	return html.NewFileSystem(http.FS(viewFiles), ".html")
}

type fortune struct {
	ID      int32
	Message string
}

// fortunes is the table `fortune`.
type fortunes struct {
	pool *pgxpool.Pool
}

// page shows every fortune and the one that the request adds, by message.
func (s *fortunes) page(c fiber.Ctx) error {
	rows, err := s.pool.Query(c.Context(), everyFortune)
	if err != nil {
		return failed(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fortune])
	if err != nil {
		return failed(err)
	}
	all = append(all, fortune{Message: c.Query("add")})
	slices.SortFunc(all, func(a, b fortune) int { return strings.Compare(a.Message, b.Message) })
	return c.Render("views/fortunes", all)
}
