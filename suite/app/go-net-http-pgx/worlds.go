package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

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

func (s *worlds) byID(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.URL.Query().Get("id"), 10, 32)
	if err != nil {
		http.Error(w, "id is a whole number", http.StatusBadRequest)
		return
	}
	var found world
	err = s.pool.QueryRow(r.Context(), byID, int32(id)).Scan(&found.ID, &found.RandomNumber)
	if err != nil {
		fail(w, r, err)
		return
	}
	respond(w, found)
}

// byIDs looks up one row after another, all on one connection.
func (s *worlds) byIDs(w http.ResponseWriter, r *http.Request) {
	ids := strings.Split(r.URL.Query().Get("ids"), ",")
	ids = ids[:min(len(ids), mostIDs)]
	conn, err := s.pool.Acquire(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	defer conn.Release()
	all := make([]world, len(ids))
	for i, text := range ids {
		id, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			http.Error(w, "ids are whole numbers, with commas between", http.StatusBadRequest)
			return
		}
		err = conn.QueryRow(r.Context(), byID, int32(id)).Scan(&all[i].ID, &all[i].RandomNumber)
		if err != nil {
			fail(w, r, err)
			return
		}
	}
	respond(w, all)
}

// update reads one row after another, and gives all their new values in one batch, which is a transaction of
// its own. Rows are written by id: two requests never wait for each other.
func (s *worlds) update(w http.ResponseWriter, r *http.Request) {
	var asked []world
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, "a list of worlds is expected", http.StatusBadRequest)
		return
	}
	conn, err := s.pool.Acquire(r.Context())
	if err != nil {
		fail(w, r, err)
		return
	}
	defer conn.Release()
	for _, each := range asked {
		var found world
		err := conn.QueryRow(r.Context(), byID, each.ID).Scan(&found.ID, &found.RandomNumber)
		if err != nil {
			fail(w, r, err)
			return
		}
	}
	sorted := slices.Clone(asked)
	slices.SortStableFunc(sorted, func(a, b world) int { return cmp.Compare(a.ID, b.ID) })
	var batch pgx.Batch
	for _, each := range sorted {
		batch.Queue(change, each.ID, each.RandomNumber)
	}
	if err := conn.SendBatch(r.Context(), &batch).Close(); err != nil {
		fail(w, r, err)
		return
	}
	respond(w, asked)
}
