// Creates a payment session and reads it again, signed with version 2 (RFC 9421). Go 1.19 or later, no modules.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

var (
	baseURL   = setting("STABLETILL_URL")
	apiKey    = setting("STABLETILL_API_KEY")
	apiSecret = setting("STABLETILL_API_SECRET")
)

func setting(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatal("Set the environment variable " + name)
	}
	return value
}

func randomText() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	return hex.EncodeToString(random)
}

// [sign]
func sign(request *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	parameters := fmt.Sprintf(`("@method" "@path" "@query" "content-digest")`+
		`;created=%d;nonce="%s";keyid="%s";alg="hmac-sha256";tag="stabletill-api"`,
		time.Now().Unix(), randomText(), apiKey)
	signatureBase := strings.Join([]string{
		`"@method": ` + request.Method,
		`"@path": ` + request.URL.EscapedPath(),
		`"@query": ?` + request.URL.RawQuery,
		`"content-digest": ` + digest,
		`"@signature-params": ` + parameters,
	}, "\n")
	mac := hmac.New(sha256.New, []byte(apiSecret))
	mac.Write([]byte(signatureBase))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+apiKey)
	request.Header.Set("Content-Digest", digest)
	request.Header.Set("Signature-Input", "sig1="+parameters)
	request.Header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(mac.Sum(nil))+":")
}

// [/sign]

type session struct {
	ID            string `json:"id"`
	URL           string `json:"url"`
	Status        string `json:"status"`
	PaymentStatus string `json:"payment_status"`
}

func call(method, path string, content any) (result session) {
	// The bytes that are signed are the bytes that are sent. A GET signs the empty text.
	var body []byte
	if content != nil {
		var err error
		if body, err = json.Marshal(content); err != nil {
			log.Fatal(err)
		}
	}
	request, err := http.NewRequest(method, baseURL+path, bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	sign(request, body)
	client := http.Client{Timeout: 30 * time.Second}
	answer, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		var refused struct {
			Error struct {
				Code    string `json:"code"`
				Message string `json:"message"`
				DocURL  string `json:"doc_url"`
			} `json:"error"`
		}
		if err := json.NewDecoder(answer.Body).Decode(&refused); err != nil {
			log.Fatal(answer.Status)
		}
		log.Fatalf("%s: %s %s", refused.Error.Code, refused.Error.Message, refused.Error.DocURL)
	}
	if err := json.NewDecoder(answer.Body).Decode(&result); err != nil {
		log.Fatal(err)
	}
	return result
}

func main() {
	made := call("POST", "/api/v1/checkout/sessions/create", map[string]any{
		"amount":      1250,
		"currency":    "USD",
		"order_id":    "order-" + randomText(),
	})
	fmt.Println("Redirect the customer to " + made.URL)

	same := call("GET", "/api/v1/checkout/sessions/"+made.ID, nil)
	fmt.Printf("%s is %s (%s)\n", same.ID, same.PaymentStatus, same.Status)
}
