package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	byID = "SELECT id, randomnumber FROM world WHERE id = $1"

	// mostIDs is how many of a request's ids are looked up; further ones are not.
	mostIDs = 500
)

type world struct {
	ID           int32 `json:"id"`
	RandomNumber int32 `json:"randomNumber"`
}

// worlds is the table `world`.
type worlds struct {
	pool *pgxpool.Pool
}

// rows is what a pool and a single connection of it can both be asked for.
type rows interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (s *worlds) byID(c fiber.Ctx) error {
	found, err := find(c, s.pool, c.Query("id"))
	if err != nil {
		return err
	}
	return c.JSON(found)
}

// byIDs looks up one row after another, all on one connection.
func (s *worlds) byIDs(c fiber.Ctx) error {
	ids := strings.Split(c.Query("ids"), ",")
	ids = ids[:min(len(ids), mostIDs)]
	conn, err := s.pool.Acquire(c.Context())
	if err != nil {
		return failed(err)
	}
	defer conn.Release()
	all := make([]world, len(ids))
	for i, id := range ids {
		if all[i], err = find(c, conn, id); err != nil {
			return err
		}
	}
	return c.JSON(all)
}

func find(c fiber.Ctx, from rows, text string) (world, error) {
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return world{}, fiber.ErrBadRequest
	}
	var found world
	err = from.QueryRow(c.Context(), byID, int32(id)).Scan(&found.ID, &found.RandomNumber)
	if err != nil {
		return world{}, failed(err)
	}
	return found, nil
}
