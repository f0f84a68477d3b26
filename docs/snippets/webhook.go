// Receives webhooks, and believes only those that are genuine. Go 1.19 or later, no modules.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

var secret = setting("STABLETILL_WEBHOOK_SECRET")

func setting(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatal("Set the environment variable " + name)
	}
	return value
}

// [verify]
// rawBody: the bytes as they arrived, before anything parsed them.
func isGenuine(header http.Header, rawBody []byte) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || len(timestamp) != 10 {
		return false
	}
	if age := time.Now().Unix() - seconds; age > 300 || age < -300 {
		return false
	}
	signature, err := hex.DecodeString(header.Get("X-Service-Signature"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "." + header.Get("X-Service-Nonce") + "."))
	mac.Write(rawBody)
	return hmac.Equal(mac.Sum(nil), signature)
}

// [/verify]

// A delivery can arrive twice. In production the ids live in your database, for 30 days.
var seen sync.Map

func receive(response http.ResponseWriter, request *http.Request) {
	rawBody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))
	if err != nil || !isGenuine(request.Header, rawBody) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	if _, again := seen.LoadOrStore(request.Header.Get("X-Service-Event-ID"), true); !again {
		var event struct {
			Type string `json:"type"`
			Data struct {
				Object struct {
					OrderID string `json:"order_id"`
				} `json:"object"`
			} `json:"data"`
		}
		if err := json.Unmarshal(rawBody, &event); err != nil {
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		// Put it into your queue here, and do the work after the answer.
		fmt.Println(event.Type, event.Data.Object.OrderID)
	}
	response.Header().Set("Content-Type", "application/json")
	fmt.Fprint(response, `{"received":true}`)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, http.HandlerFunc(receive)))
}
