// The options of every command of Kubo 0.43, and the commands that Cairn does not offer.
import { flag, text } from './kubo-command.ts'

/** Options that every command accepts. `timeout` is passed as bigint milliseconds. */
export const globalOptions = {
  encoding: text('encoding', { alias: 'enc', default: 'json' }),
  timeout: text('timeout'),
  offline: flag('offline'),
  local: flag('local', { alias: 'L' }),
  cidBase: text('cid-base'),
  upgradeCidV0: flag('upgrade-cidv0-in-output', { default: null }),
}

// Groups that are not commands themselves are not listed.
const paths = `
bitswap/reprovide bootstrap bootstrap/add bootstrap/add/default bootstrap/list bootstrap/rm bootstrap/rm/all
cid/base32 cid/bases cid/codecs cid/format cid/hashes cid/inspect commands/completion/bash config config/edit
config/profile/apply config/replace dag/diff dht/findpeer dht/findprovs dht/get dht/provide dht/put dht/query
diag/cmds diag/cmds/clear diag/cmds/set-time diag/profile diag/sys files/chroot filestore/dups filestore/ls
filestore/verify key/export key/rotate key/sign key/verify log/level log/ls log/tail mount multibase/decode
multibase/encode multibase/list multibase/transcode name/pubsub/cancel name/pubsub/state name/pubsub/subs
object/data object/diff object/get object/links object/new object/patch/add-link object/patch/append-data
object/patch/rm-link object/patch/set-data object/put object/stat p2p/close p2p/forward p2p/listen p2p/ls
p2p/stream/close p2p/stream/ls ping provide/clear pubsub/ls pubsub/peers pubsub/pub pubsub/sub repo/ls repo/migrate
repo/verify routing/reprovide shutdown stats/dht stats/provide stats/reprovide swarm/addrs/autonat
swarm/addrs/listen swarm/filters swarm/filters/add swarm/filters/rm swarm/resources update version/check
version/deps
`

/** Kubo's commands that Cairn does not offer: Cairn answers 403 for them, and 404 for paths that are not commands of Kubo. */
export const otherCommands: ReadonlySet<string> = new Set(paths.trim().split(/\s+/))
