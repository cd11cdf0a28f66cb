// Every command of the file face by its path on the wire, and what readers of `/ipfs/<cid>` may ask for.
// http/commands.ts declares what each command takes.
import type { Clock } from '../../base/clock.ts'
import type { FilesOperation } from '../operation.ts'
import { ownNode } from '../replies/node-identity.ts'
import { add } from './ipfs/files/add.ts'
import { blockGet } from './ipfs/dag/block_get.ts'
import { blockPut } from './ipfs/dag/block_put.ts'
import { blockRm } from './ipfs/dag/block_rm.ts'
import { blockStat } from './ipfs/dag/block_stat.ts'
import { cat } from './ipfs/files/cat.ts'
import { dagExport } from './ipfs/dag/dag_export.ts'
import { dagGet } from './ipfs/dag/dag_get.ts'
import { dagImport } from './ipfs/dag/dag_import.ts'
import { dagPut } from './ipfs/dag/dag_put.ts'
import { dagResolve } from './ipfs/dag/dag_resolve.ts'
import { createDagStat } from './ipfs/dag/dag_stat.ts'
import { filesStat } from './ipfs/files/files_stat.ts'
import { createGet } from './ipfs/files/get.ts'
import { createCommands, type DeclaredCommands } from './ipfs/node/commands.ts'
import { createConfigShow } from './ipfs/node/config_show.ts'
import { createId } from './ipfs/node/id.ts'
import { ls } from './ipfs/files/ls.ts'
import { createPinAdd } from './ipfs/pins/pin_add.ts'
import { pinLs } from './ipfs/pins/pin_ls.ts'
import { pinRm } from './ipfs/pins/pin_rm.ts'
import { pinUpdate } from './ipfs/pins/pin_update.ts'
import { pinVerify } from './ipfs/pins/pin_verify.ts'
import { refs } from './ipfs/dag/refs.ts'
import { refsLocal } from './ipfs/dag/refs_local.ts'
import { repoGc } from './ipfs/node/repo_gc.ts'
import { repoStat, statsRepo } from './ipfs/node/repo_stat.ts'
import { repoVersion } from './ipfs/node/repo_version.ts'
import { resolve } from './ipfs/files/resolve.ts'
import { statsBw } from './ipfs/node/stats_bw.ts'
import { createSwarmAddrs } from './ipfs/node/swarm_addrs.ts'
import { swarmPeers } from './ipfs/node/swarm_peers.ts'
import { createVersion } from './ipfs/node/version.ts'
import { pathCar } from './paths/path_car.ts'
import { pathContent } from './paths/path_content.ts'
import { pathRaw } from './paths/path_raw.ts'
import { pathTar } from './paths/path_tar.ts'

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
