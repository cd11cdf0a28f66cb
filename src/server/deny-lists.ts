// Deny rules of the gateway: files and folders of the settings, read at startup and again when one changes, and the rules that
// operators add. A later list overrides an earlier one; the operators' rules override all lists. If a later read fails, the error
// is logged and the last lists stay in force.
// Tested by src/server/deny-lists.test.ts
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CID } from 'multiformats/cid'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { parseYaml } from '../config/parse-yaml.ts'
import {
  type DenyList,
  denyLinesMax,
  type DenyStatus,
  parseDenyList,
} from '../ipfs-gateway/deny-list.ts'
import type { DenyDecision, OwnDenyList } from '../ipfs-gateway/own-denials.ts'

export type DenyLists = {
  /** Null: the content is not denied. */
  denialOf(cid: CID, segments?: readonly string[]): DenyStatus | null
  /** As `denialOf`, for an IPNS name. */
  denialOfName(name: string): DenyStatus | null
  /** Null: no rule matches the content. */
  decide(cid: CID, segments?: readonly string[]): DenyDecision | null
  /** As in `OwnDenyList`. */
  refresh(): Promise<void> | undefined
  refreshNow(): void
  stop(): void
}

/** Interval at which files are checked for changes. */
export const denyCheckPeriodMs = 5000
const fileBytesMax = 256 * 1024 * 1024
const filesMax = 1000
const extension = '.deny'

type Read = { readonly file: string; readonly list: DenyList }

/** The paths of the settings in their order: `gateway.denyFile`, then the entries of `gateway.denyFiles`. */
export function denyPathsOf(gateway: {
  readonly denyFile: string | null
  readonly denyFiles: string | null
}): readonly string[] {
  const listed = gateway.denyFiles?.split(',').map((path) => path.trim()) ?? []
  return [gateway.denyFile ?? '', ...listed].filter((path) => path !== '')
}

/**
 * `paths`: files, and folders whose `.deny` files are read in alphabetical order. Rejects with a sentence for the operator
 * if one cannot be read at the start.
 */
export async function openDenyLists(
  paths: readonly string[],
  { own, clock, log }: { readonly own: OwnDenyList; readonly clock: Clock; readonly log: Log },
): Promise<DenyLists> {
  let fingerprints = await fingerprintsOf(paths)
  let lists = await readAll(fingerprints)
  let running = false
  await own.refresh()
  logLists()

  function logLists(): void {
    for (const { file, list } of lists) {
      const { entries, unread } = list
      log('info', 'deny_list_read', { file, entries })
      if (unread.length > 0) log('warn', 'deny_list_lines_not_understood', { file, lines: unread })
    }
  }

  async function check(): Promise<void> {
    try {
      const now = await fingerprintsOf(paths)
      if (JSON.stringify([...now]) === JSON.stringify([...fingerprints])) return
      // Set before reading, so that a change is read, and its error logged, only once.
      fingerprints = now
      lists = await readAll(now)
      logLists()
    } catch (error) {
      log('error', 'deny_list_not_read', { error })
    }
  }

  function decide(cid: CID, segments?: readonly string[]): DenyDecision | null {
    const added = own.find(cid, segments)
    if (added !== null) return { status: added.status, file: null, line: null, rule: added.rule }
    for (const { file, list } of lists) {
      const match = list.find(cid, segments)
      if (match !== null) return { status: match.status, file, line: match.line, rule: null }
    }
    return null
  }

  const stop =
    paths.length === 0
      ? () => {}
      : clock.every(denyCheckPeriodMs, () => {
          if (running) return
          running = true
          void check().finally(() => {
            running = false
          })
        })
  return {
    denialOf: (cid, segments) => decide(cid, segments)?.status ?? null,
    denialOfName(name) {
      for (const { list } of lists) {
        const match = list.findName(name)
        if (match !== null) return match.status
      }
      return null
    },
    decide,
    refresh: own.refresh,
    refreshNow: own.refreshNow,
    stop() {
      stop()
      own.stop()
    },
  }
}

/** A fingerprint that changes with the file, by path, in the order of the lists. */
async function fingerprintsOf(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const fingerprints = new Map<string, string>()
  for (const path of paths) {
    try {
      for (const file of await filesOf(path)) {
        const info = await stat(file)
        if (!info.isFile()) throw new Error(`${file} is no regular file`)
        const { ino, size, ctimeMs } = info
        if (size > fileBytesMax) throw new RangeError(`it is longer than ${fileBytesMax} bytes`)
        fingerprints.set(file, `${ino} ${size} ${ctimeMs}`)
      }
    } catch (cause) {
      throw unreadable(path, cause)
    }
  }
  if (fingerprints.size > filesMax) {
    throw new Error(
      `gateway.denyFiles names ${fingerprints.size} files, at most ${filesMax} are read`,
    )
  }
  return fingerprints
}

async function filesOf(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path)
  return names
    .filter((name) => name.endsWith(extension))
    .toSorted()
    .map((name) => join(path, name))
}

/** Last list first, because it overrides the others. */
async function readAll(fingerprints: ReadonlyMap<string, string>): Promise<readonly Read[]> {
  const lists: Read[] = []
  let entries = 0
  for (const file of fingerprints.keys()) {
    try {
      const list = await parseDenyList(await readFile(file, 'utf8'), parseYaml)
      entries += list.entries
      if (entries > denyLinesMax) {
        throw new RangeError(`the lists have more than ${denyLinesMax} entries together`)
      }
      lists.push({ file, list })
    } catch (cause) {
      throw unreadable(file, cause)
    }
  }
  return lists.toReversed()
}

function unreadable(path: string, cause: unknown): Error {
  return new Error(`cannot read the deny list ${path}: ${(cause as Error).message}`, { cause })
}
