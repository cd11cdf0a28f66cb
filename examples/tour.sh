#!/bin/sh
# Both APIs with curl alone: a batch of calls; a file that is added, read in part, pinned, unpinned.
#   CAIRN_KEY=<API_KEY> CAIRN_SECRET=<API_KEY_SECRET> sh examples/tour.sh
set -eu
url=${CAIRN_URL:-http://127.0.0.1:8545}
rpc=$url/v3/$CAIRN_KEY
files=$url/api/v0

echo '# two calls in one batch'
curl -sS "$rpc" -H 'content-type: application/json' -d '[
  {"jsonrpc":"2.0","id":1,"method":"eth_chainId"},
  {"jsonrpc":"2.0","id":2,"method":"eth_getStorageAt","params":["0x295a70b2de5e3953354a6a8344e616ed314d7251","0x0","latest"]}]'
echo

echo '# a file'
added=$(printf 'stone on stone\n' | curl -sS -u "$CAIRN_KEY:$CAIRN_SECRET" -F file=@- "$files/add")
echo "$added"
cid=$(echo "$added" | cut -d '"' -f 8)

echo '# its last word, its pin, and the pin removed'
curl -sS -X POST -u "$CAIRN_KEY:$CAIRN_SECRET" "$files/cat?arg=$cid&offset=9"
curl -sS -X POST -u "$CAIRN_KEY:$CAIRN_SECRET" "$files/pin/ls?arg=$cid"
curl -sS -X POST -u "$CAIRN_KEY:$CAIRN_SECRET" "$files/pin/rm?arg=$cid"
