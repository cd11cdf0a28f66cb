// The role of a process of a server with workers, and the sockets of the keeper.
// Tested by src/server/workers/worker-share.test.ts
import { join, resolve } from 'node:path'

export type Role =
  /** `admin`: descriptor of a passed socket for `admin.host`; null: none. */
  | { readonly kind: 'keeper'; readonly admin: number | null }
  /** `of`: number of workers, which share the limits of the settings. `http`: descriptor of a passed socket in the primary. */
  | {
      readonly kind: 'worker'
      readonly number: number
      readonly of: number
      readonly http: number | null
    }

/** Sockets of the keeper. */
export type KeeperPaths = { readonly connections: string; readonly links: string }

/** Size of `sun_path` in unix(7) without its terminating zero. */
const pathBytesMax = 107

/** Throws a sentence for the operator if the path of the folder is too long for a Unix socket. */
export function keeperPaths(dataDir: string): KeeperPaths {
  const connections = join(resolve(dataDir), 'keeper.http')
  const links = join(resolve(dataDir), 'keeper.link')
  const bytes = Buffer.byteLength(connections)
  if (bytes <= pathBytesMax) return { connections, links }
  throw new Error(
    `workers: the path of the data folder is too long for a socket in it (${connections}: ${bytes} bytes, at most ${pathBytesMax}): choose a shorter dataDir, or workers: 0`,
  )
}
