#!/bin/sh
# Stores an answer with its proof and verifies it without the server, from the block hash alone.
#   CAIRN_KEY=<API_KEY> sh examples/prove-offline.sh [address]
set -eu
url=${CAIRN_URL:-http://127.0.0.1:8545}
address=${1:-0x295a70b2de5e3953354a6a8344e616ed314d7251}
root=$(dirname "$0")/..
# npm ci installs the Node that Cairn needs; otherwise Node comes from the PATH.
node=$root/node_modules/.bin/node
[ -x "$node" ] || node=node
cairn="$node $root/bin/cairn.js"
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

curl -sS "$url/v3/$CAIRN_KEY?proof=1" -H 'content-type: application/json' -d '{
  "jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["'"$address"'","0x0","latest"]}' > "$folder/reply.json"

# The hash of the block that you trust. This example requests it from the server; use an independent source.
block=$(curl -sS "$url/v3/$CAIRN_KEY" -H 'content-type: application/json' -d '{
  "jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}' |
  sed 's/.*"hash":"\(0x[0-9a-f]*\)".*/\1/')

asked='["'"$address"'","0x0","latest"]'
$cairn verify "$folder/reply.json" --block "$block" --method eth_getStorageAt --params "$asked"

# One digit of the answer is changed.
sed 's/4d2"/4d3"/' "$folder/reply.json" > "$folder/lie.json"
$cairn verify "$folder/lie.json" --block "$block" || echo 'a lie is found'
