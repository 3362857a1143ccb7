package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v3"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	byID   = "SELECT id, randomnumber FROM world WHERE id = $1"
	change = "UPDATE world SET randomnumber = $2 WHERE id = $1"

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

// update reads one row after another, and gives all their new values in one batch, which is a transaction of
// its own. Rows are written by id: two requests never wait for each other.
func (s *worlds) update(c fiber.Ctx) error {
	var asked []world
	if err := c.Bind().JSON(&asked); err != nil {
		return fiber.ErrBadRequest
	}
	conn, err := s.pool.Acquire(c.Context())
	if err != nil {
		return failed(err)
	}
	defer conn.Release()
	for _, each := range asked {
		if _, err := read(c, conn, each.ID); err != nil {
			return err
		}
	}
	sorted := slices.Clone(asked)
	slices.SortStableFunc(sorted, func(a, b world) int { return cmp.Compare(a.ID, b.ID) })
	var batch pgx.Batch
	for _, each := range sorted {
		batch.Queue(change, each.ID, each.RandomNumber)
	}
	if err := conn.SendBatch(c.Context(), &batch).Close(); err != nil {
		return failed(err)
	}
	return c.JSON(asked)
}

func find(c fiber.Ctx, from rows, text string) (world, error) {
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return world{}, fiber.ErrBadRequest
	}
	return read(c, from, int32(id))
}

func read(c fiber.Ctx, from rows, id int32) (world, error) {
	var found world
	err := from.QueryRow(c.Context(), byID, id).Scan(&found.ID, &found.RandomNumber)
	if err != nil {
		return world{}, failed(err)
	}
	return found, nil
}
