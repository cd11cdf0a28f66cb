// Every command path that Kubo 0.43 knows, as data: what is here and not offered
// is answered 403, what is not here 404. Groups without an action of their own are not listed.

const paths = `
add bitswap/ledger bitswap/reprovide bitswap/stat bitswap/wantlist block/get block/put block/rm block/stat
bootstrap bootstrap/add bootstrap/add/default bootstrap/list bootstrap/rm bootstrap/rm/all
cat cid/base32 cid/bases cid/codecs cid/format cid/hashes cid/inspect commands commands/completion/bash
config config/edit config/profile/apply config/replace config/show
dag/diff dag/export dag/get dag/import dag/put dag/resolve dag/stat
dht/findpeer dht/findprovs dht/get dht/provide dht/put dht/query
diag/cmds diag/cmds/clear diag/cmds/set-time diag/profile diag/sys
files/chcid files/chmod files/chroot files/cp files/flush files/ls files/mkdir files/mv files/read files/rm
files/stat files/touch files/write filestore/dups filestore/ls filestore/verify
get id key/export key/gen key/import key/list key/ls key/rename key/rm key/rotate key/sign key/verify
log/level log/ls log/tail ls mount multibase/decode multibase/encode multibase/list multibase/transcode
name/get name/inspect name/publish name/pubsub/cancel name/pubsub/state name/pubsub/subs name/put name/resolve
object/data object/diff object/get object/links object/new object/patch/add-link object/patch/append-data
object/patch/rm-link object/patch/set-data object/put object/stat
p2p/close p2p/forward p2p/listen p2p/ls p2p/stream/close p2p/stream/ls
pin/add pin/ls pin/remote/add pin/remote/ls pin/remote/rm pin/remote/service/add pin/remote/service/ls
pin/remote/service/rm pin/rm pin/update pin/verify ping provide/clear provide/stat
pubsub/ls pubsub/peers pubsub/pub pubsub/sub refs refs/local
repo/gc repo/ls repo/migrate repo/stat repo/verify repo/version resolve
routing/findpeer routing/findprovs routing/get routing/provide routing/put routing/reprovide
shutdown stats/bitswap stats/bw stats/dht stats/provide stats/repo stats/reprovide
swarm/addrs swarm/addrs/autonat swarm/addrs/listen swarm/addrs/local swarm/connect swarm/disconnect
swarm/filters swarm/filters/add swarm/filters/rm swarm/peering/add swarm/peering/ls swarm/peering/rm
swarm/peers swarm/resources update version version/check version/deps
`

export const kuboCommands: ReadonlySet<string> = new Set(paths.trim().split(/\s+/))
