// Serves the same responses by Go's net/http: it checks keys, counts requests, and takes bodies from a map. Argument:
// the folder of the peers' data.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	requestsPerDay = 100_000
	daySeconds     = 86_400
	detailsPath    = "/v1/cards/"
	batchPath      = "/v1/cards/batch"
	lineBytesMax   = 1 << 20
)

type texts struct{ details, item []byte }

var (
	left     = map[string]*int64{}
	fixed    = map[string][]byte{}
	cards    = map[string]texts{}
	limit    = []string{strconv.Itoa(requestsPerDay)}
	jsonType = []string{"application/json"}
)

func eachRow(folder, name string, take func(fields []string)) {
	file, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		panic(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, lineBytesMax), lineBytesMax)
	for lines.Scan() {
		take(strings.Split(lines.Text(), "\t"))
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}

func serve(w http.ResponseWriter, r *http.Request) {
	count := left[r.Header.Get("X-Api-Key")]
	if count == nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	remaining := atomic.AddInt64(count, -1)
	if remaining < 0 {
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	status, body := http.StatusOK, bodyOf(r)
	if body == nil {
		status = http.StatusNotFound
	}
	reset := (time.Now().Unix()/daySeconds + 1) * daySeconds
	header := w.Header()
	header["X-RateLimit-Limit"] = limit
	header["X-RateLimit-Remaining"] = []string{strconv.FormatInt(remaining, 10)}
	header["X-RateLimit-Reset"] = []string{strconv.FormatInt(reset, 10)}
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	w.Write(body)
}

// Returns nil if the server has no such body.
func bodyOf(r *http.Request) []byte {
	path := r.URL.Path
	if r.Method == http.MethodPost && path == batchPath {
		return batch(r)
	}
	if body, ok := fixed[path]; ok {
		return body
	}
	if strings.HasPrefix(path, detailsPath) {
		return cards[path[len(detailsPath):]].details
	}
	return nil
}

func batch(r *http.Request) []byte {
	var asked struct{ Ids []string }
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return nil
	}
	body := append(make([]byte, 0, 8192), `{"data":[`...)
	for _, id := range asked.Ids {
		card, ok := cards[id]
		if !ok {
			continue
		}
		if body[len(body)-1] != '[' {
			body = append(body, ',')
		}
		body = append(body, card.item...)
	}
	return append(body, "]}"...)
}

func main() {
	folder := os.Args[1]
	eachRow(folder, "keys.txt", func(row []string) { count := int64(requestsPerDay); left[row[0]] = &count })
	eachRow(folder, "fixed.tsv", func(row []string) { fixed[row[0]] = []byte(row[1]) })
	eachRow(folder, "cards.tsv", func(row []string) { cards[row[0]] = texts{[]byte(row[1]), []byte(row[2])} })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(serve)))
}
