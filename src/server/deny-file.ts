// Deny list of the gateway: read at the start and again when the file changes. A later read error
// is logged, and the last list stays in force.
// Tested by src/server/deny-file.test.ts
import { readFile, stat } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type DenyList, emptyDenyList, parseDenyList } from '../ipfs-gateway/deny-list.ts'

export type DenyFile = {
  readonly denies: DenyList['denies']
  stop(): void
}

export const denyLookMs = 5000
const fileBytesMax = 256 * 1024 * 1024

/** `file` null: nothing is denied. Rejects with a sentence for the operator if the file cannot be read at the start. */
export async function openDenyFile(
  file: string | null,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<DenyFile> {
  if (file === null) return { denies: emptyDenyList.denies, stop: () => {} }
  let looks = await looksOf(file)
  let list = await read(file)
  let underWay = false
  logList()

  function logList(): void {
    const { entries, unread } = list
    log('info', 'deny_list_read', { file, entries })
    if (unread.length > 0) log('warn', 'deny_list_lines_not_understood', { file, lines: unread })
  }

  async function look(): Promise<void> {
    try {
      const now = await looksOf(file as string)
      if (now === looks) return
      list = await read(file as string)
      looks = now
      logList()
    } catch (error) {
      log('error', 'deny_list_not_read', { file, error })
    }
  }

  const stop = clock.every(denyLookMs, () => {
    if (underWay) return
    underWay = true
    void look().finally(() => {
      underWay = false
    })
  })
  return { denies: (cid, segments) => list.denies(cid, segments), stop }
}

async function looksOf(file: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(file)
    return `${ino} ${size} ${mtimeMs}`
  } catch (cause) {
    throw new Error(`cannot read gateway.denyFile ${file}: ${(cause as Error).message}`, { cause })
  }
}

async function read(file: string): Promise<DenyList> {
  try {
    const { size } = await stat(file)
    if (size > fileBytesMax) throw new RangeError(`it is longer than ${fileBytesMax} bytes`)
    return await parseDenyList(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new Error(`cannot read gateway.denyFile ${file}: ${(cause as Error).message}`, { cause })
  }
}
