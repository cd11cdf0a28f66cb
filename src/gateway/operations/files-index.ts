// Every command of the file face by its path on the wire, and what readers of `/ipfs/<cid>` may ask for.
// http/commands.ts declares what each command takes.
import type { Clock } from '../../base/clock.ts'
import type { FilesOperation } from '../operation.ts'
import { ownNode } from '../replies/own-node.ts'
import { add } from './add.ts'
import { blockGet } from './block_get.ts'
import { blockPut } from './block_put.ts'
import { blockRm } from './block_rm.ts'
import { blockStat } from './block_stat.ts'
import { cat } from './cat.ts'
import { dagExport } from './dag_export.ts'
import { dagGet } from './dag_get.ts'
import { dagImport } from './dag_import.ts'
import { dagPut } from './dag_put.ts'
import { dagResolve } from './dag_resolve.ts'
import { createDagStat } from './dag_stat.ts'
import { filesStat } from './files_stat.ts'
import { createGet } from './get.ts'
import { createCommands, type DeclaredCommands } from './commands.ts'
import { createConfigShow } from './config_show.ts'
import { createId } from './id.ts'
import { ls } from './ls.ts'
import { createPinAdd } from './pin_add.ts'
import { pinLs } from './pin_ls.ts'
import { pinRm } from './pin_rm.ts'
import { pinUpdate } from './pin_update.ts'
import { pinVerify } from './pin_verify.ts'
import { refs } from './refs.ts'
import { refsLocal } from './refs_local.ts'
import { repoGc } from './repo_gc.ts'
import { repoStat, statsRepo } from './repo_stat.ts'
import { repoVersion } from './repo_version.ts'
import { resolve } from './resolve.ts'
import { statsBw } from './stats_bw.ts'
import { createSwarmAddrs } from './swarm_addrs.ts'
import { swarmPeers } from './swarm_peers.ts'
import { createVersion } from './version.ts'
import { pathCar } from './path_car.ts'
import { pathContent } from './path_content.ts'
import { pathRaw } from './path_raw.ts'
import { pathTar } from './path_tar.ts'

export type FilesOperationParts = {
  readonly clock: Clock
  /** Of Cairn. */
  readonly version: string
  /** 32 bytes, Ed25519, of this server; shown by `id`. */
  readonly publicKey: Uint8Array
  /** What `commands` lists. */
  readonly declared: DeclaredCommands
}

export function createFilesOperations(
  parts: FilesOperationParts,
): ReadonlyMap<string, FilesOperation<unknown>> {
  const node = ownNode(parts.publicKey)
  const operations: readonly FilesOperation<unknown>[] = [
    add,
    blockGet,
    blockPut,
    blockRm,
    blockStat,
    cat,
    dagExport,
    dagGet,
    dagImport,
    dagPut,
    dagResolve,
    createDagStat(parts.clock),
    filesStat,
    createGet(parts.clock),
    createCommands(parts.declared),
    createConfigShow(node),
    createId(parts.version, node),
    ls,
    createPinAdd(parts.clock),
    pinLs,
    pinRm,
    pinUpdate,
    pinVerify,
    refs,
    refsLocal,
    repoGc,
    repoStat,
    repoVersion,
    resolve,
    statsBw,
    statsRepo,
    createSwarmAddrs(node),
    swarmPeers,
    createVersion(parts.version),
  ]
  return new Map(operations.map((operation) => [operation.name, operation]))
}

/** By the format that is asked for. */
export const pathOperations = { raw: pathRaw, car: pathCar, tar: pathTar, content: pathContent }
