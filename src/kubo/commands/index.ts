// All commands of the IPFS API by their path, in the order of docs/reference/ipfs-commands.md.
import type { Clock } from '../../base/clock.ts'
import type { KuboCommand } from '../kubo-command.ts'
import type { KuboNetwork } from '../network-command.ts'
import type { RemotePinDeps } from '../remote-pins/remote-command.ts'
import { ownNode } from '../replies/node-identity.ts'
import { add } from './files/add.ts'
import { blockGet } from './dag/block_get.ts'
import { blockPut } from './dag/block_put.ts'
import { blockRm } from './dag/block_rm.ts'
import { blockStat } from './dag/block_stat.ts'
import { cat } from './files/cat.ts'
import { dagExport } from './dag/dag_export.ts'
import { dagGet } from './dag/dag_get.ts'
import { dagImport } from './dag/dag_import.ts'
import { dagPut } from './dag/dag_put.ts'
import { dagResolve } from './dag/dag_resolve.ts'
import { createDagStat } from './dag/dag_stat.ts'
import { filesStat } from './files/files_stat.ts'
import { filesChcid } from './mfs/files_chcid.ts'
import { filesChmod } from './mfs/files_chmod.ts'
import { filesCp } from './mfs/files_cp.ts'
import { filesFlush } from './mfs/files_flush.ts'
import { filesLs } from './mfs/files_ls.ts'
import { filesMkdir } from './mfs/files_mkdir.ts'
import { filesMv } from './mfs/files_mv.ts'
import { filesRead } from './mfs/files_read.ts'
import { filesRm } from './mfs/files_rm.ts'
import { createFilesTouch } from './mfs/files_touch.ts'
import { createFilesWrite } from './mfs/files_write.ts'
import { createGet } from './files/get.ts'
import { createCommands } from './node/commands.ts'
import { createConfigShow } from './node/config_show.ts'
import { createId } from './node/id.ts'
import { ls } from './files/ls.ts'
import { createPinAdd } from './pins/pin_add.ts'
import { createPinRemoteAdd } from './remote-pins/pin_remote_add.ts'
import { createPinRemoteLs } from './remote-pins/pin_remote_ls.ts'
import { createPinRemoteRm } from './remote-pins/pin_remote_rm.ts'
import { createPinRemotesAdd } from './remote-pins/pin_remote_service_add.ts'
import { createPinRemotesLs } from './remote-pins/pin_remote_service_ls.ts'
import { createPinRemotesRm } from './remote-pins/pin_remote_service_rm.ts'
import { pinLs } from './pins/pin_ls.ts'
import { pinRm } from './pins/pin_rm.ts'
import { pinUpdate } from './pins/pin_update.ts'
import { pinVerify } from './pins/pin_verify.ts'
import { refs } from './dag/refs.ts'
import { refsLocal } from './dag/refs_local.ts'
import { repoGc } from './node/repo_gc.ts'
import { repoStat, statsRepo } from './node/repo_stat.ts'
import { repoVersion } from './node/repo_version.ts'
import { resolve } from './files/resolve.ts'
import { createStatsBw } from './node/stats_bw.ts'
import { createSwarmAddrs } from './node/swarm_addrs.ts'
import { createSwarmPeers } from './node/swarm_peers.ts'
import { createBitswapLedger } from './network/bitswap_ledger.ts'
import { createBitswapStat } from './network/bitswap_stat.ts'
import { createBitswapWantlist } from './network/bitswap_wantlist.ts'
import { createProvideStat } from './network/provide_stat.ts'
import { createRoutingFindpeer } from './network/routing_findpeer.ts'
import { createRoutingFindprovs } from './network/routing_findprovs.ts'
import { createRoutingGet } from './network/routing_get.ts'
import { createRoutingProvide } from './network/routing_provide.ts'
import { createRoutingPut } from './network/routing_put.ts'
import { createSwarmAddrsLocal } from './network/swarm_addrs_local.ts'
import { createSwarmConnect } from './network/swarm_connect.ts'
import { createSwarmDisconnect } from './network/swarm_disconnect.ts'
import { createSwarmPeeringAdd } from './network/swarm_peering_add.ts'
import { createSwarmPeeringLs } from './network/swarm_peering_ls.ts'
import { createSwarmPeeringRm } from './network/swarm_peering_rm.ts'
import { createVersion } from './node/version.ts'
import type { NameCommandDeps } from '../params/ipns-options.ts'
import { createKeyGen } from './names/key_gen.ts'
import { createKeyImport } from './names/key_import.ts'
import { createKeyList, createKeyLs } from './names/key_list.ts'
import { createKeyRename } from './names/key_rename.ts'
import { createKeyRm } from './names/key_rm.ts'
import { createNameGet } from './names/name_get.ts'
import { createNameInspect } from './names/name_inspect.ts'
import { createNamePublish } from './names/name_publish.ts'
import { createNamePut } from './names/name_put.ts'
import { createNameResolve } from './names/name_resolve.ts'

export type KuboCommandDeps = {
  readonly clock: Clock
  /** Version of Cairn. */
  readonly version: string
  /** Ed25519 public key of this server, 32 bytes; shown by `id`. */
  readonly publicKey: Uint8Array
  /** Other pinning services. */
  readonly remotePins: Pick<RemotePinDeps, 'remotes' | 'client'>
  readonly ipns: NameCommandDeps
  /** Null: the server does not use the IPFS network. */
  readonly network: KuboNetwork | null
}

export function createKuboCommands(
  parts: KuboCommandDeps,
): ReadonlyMap<string, KuboCommand<unknown>> {
  const { network } = parts
  const node = ownNode(parts.publicKey)
  const remotePins = { ...parts.remotePins, clock: parts.clock }
  const commands: readonly KuboCommand<unknown>[] = [
    add,
    cat,
    createCommands(() => commands),
    createConfigShow(node, network),
    blockGet,
    blockPut,
    blockRm,
    blockStat,
    dagExport,
    dagGet,
    dagImport,
    dagPut,
    dagResolve,
    createDagStat(parts.clock),
    filesChcid,
    filesChmod,
    filesCp,
    filesFlush,
    filesLs,
    filesMkdir,
    filesMv,
    filesRead,
    filesRm,
    filesStat,
    createFilesTouch(parts.clock),
    createFilesWrite(parts.clock),
    createGet(parts.clock),
    createId(parts.version, node, network),
    ls,
    createPinAdd(parts.clock),
    pinLs,
    createPinRemoteAdd(remotePins),
    createPinRemoteLs(remotePins),
    createPinRemoteRm(remotePins),
    createPinRemotesAdd(remotePins),
    createPinRemotesLs(remotePins),
    createPinRemotesRm(remotePins),
    pinRm,
    pinUpdate,
    pinVerify,
    refs,
    repoGc,
    refsLocal,
    repoStat,
    repoVersion,
    resolve,
    createStatsBw(network, parts.clock),
    statsRepo,
    createSwarmAddrs(node, network),
    createSwarmPeers(network),
    createBitswapLedger(network),
    createBitswapStat(network, 'bitswap/stat'),
    createBitswapStat(network, 'stats/bitswap'),
    createBitswapWantlist(network),
    createProvideStat(network),
    createRoutingFindpeer(network),
    createRoutingFindprovs(network),
    createRoutingGet(network),
    createRoutingProvide(network),
    createRoutingPut(network),
    createSwarmAddrsLocal(network),
    createSwarmConnect(network),
    createSwarmDisconnect(network),
    createSwarmPeeringAdd(network),
    createSwarmPeeringLs(network),
    createSwarmPeeringRm(network),
    createVersion(parts.version),
    createNameGet(parts.ipns),
    createNameInspect(parts.clock),
    createNamePublish(parts.ipns),
    createNamePut(parts.ipns),
    createNameResolve(parts.ipns),
    createKeyGen(parts.ipns),
    createKeyImport(parts.ipns),
    createKeyList(parts.ipns),
    createKeyLs(parts.ipns),
    createKeyRename(parts.ipns),
    createKeyRm(parts.ipns),
  ]
  return new Map(commands.map((command) => [command.name, command]))
}
