// Command kfake is a server that speaks Kafka's protocol, for tests: brokers on ports of the loopback, and topics with the number of
// partitions that is asked for. What it has taken is in its folder, so that it is there again after a kill.
package main

import (
	"crypto/tls"
	"flag"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kfake"
)

func main() {
	ports := flag.String("ports", "", "ports of the brokers, separated by commas")
	topics := flag.String("topics", "", "topics as name:partitions, separated by commas")
	data := flag.String("data", "", "folder for what was taken; none: memory")
	user := flag.String("user", "", "mechanism:name:password of the only user; none: everybody")
	certificate := flag.String("certificate", "", "PEM file of the certificate; none: no TLS")
	key := flag.String("key", "", "PEM file of the certificate's key")
	flag.Parse()

	options := []kfake.Opt{kfake.Ports(numbers(*ports)...), kfake.NumBrokers(len(numbers(*ports)))}
	for _, topic := range split(*topics) {
		name, partitions, _ := strings.Cut(topic, ":")
		options = append(options, kfake.SeedTopics(int32(numbers(partitions)[0]), name))
	}
	if *data != "" {
		options = append(options, kfake.DataDir(*data), kfake.SyncWrites())
	}
	if *user != "" {
		parts := strings.SplitN(*user, ":", 3)
		options = append(options, kfake.EnableSASL(), kfake.Superuser(parts[0], parts[1], parts[2]))
	}
	if *certificate != "" {
		pair, err := tls.LoadX509KeyPair(*certificate, *key)
		if err != nil {
			log.Fatal(err)
		}
		options = append(options, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}}))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func numbers(list string) []int {
	found := []int{}
	for _, text := range split(list) {
		number, err := strconv.Atoi(text)
		if err != nil {
			log.Fatal(err)
		}
		found = append(found, number)
	}
	return found
}
