// Applies a changed settings file while the server runs. The file is read and validated as a whole before it is applied. If it has
// an issue, it is refused as a whole and logged, and the old settings stay in force. One reload at a time.
import { stat } from 'node:fs/promises'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { settingDefinitions } from '../config/config.ts'
import { type SettingsChanges, changesBetween } from '../config/changes.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Config } from '../config/settings.ts'

export type ReloadParts = {
  /** Path of the settings file. */
  readonly file: string
  /** Reads all sources of settings again. Throws ConfigError. */
  readonly load: () => Promise<Config>
  /** Settings in force. */
  readonly current: () => Config
  /** Applies `changes.config`, or throws and changes nothing. */
  readonly apply: (changes: SettingsChanges) => Promise<void>
  /** Restarts the processes with these settings; absent: the operator restarts the server. Never throws. */
  readonly restart?: (config: Config) => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

export type Reload = {
  /** Reads the file immediately. Never throws: issues are logged. */
  now(): Promise<void>
  /** Resolves when no reload is running. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/** A change is applied after two checks with an unchanged file, so that a half-written file is ignored. */
export const checkPeriodMs = 1000
/** Maximum number of logged issues of one file. */
const loggedMax = 20

/** Starts to watch the file. */
export function createReload(parts: ReloadParts): Reload {
  const { file, clock, log } = parts
  /** Fingerprint of the file at the last read; null: not read yet. */
  let read: string | null = null
  let seen: string | null = null
  let reloading: Promise<void> | null = null
  let again = false

  async function checkFile(): Promise<void> {
    const fingerprint = await fingerprintOf(file)
    const isUnchanged = fingerprint === seen
    seen = fingerprint
    if (fingerprint === read || !isUnchanged || !isFile(fingerprint)) return
    // At the first check, startup has already read the same file, unless it changed since.
    await take({ isNews: read !== null })
  }

  async function take({ isNews }: { readonly isNews: boolean }): Promise<void> {
    const fingerprint = await fingerprintOf(file)
    read = fingerprint
    seen = fingerprint
    try {
      if (read === 'odd')
        throw new Error(`${file} is not a regular file: it is read only at the start`)
      const [loading] = await Promise.allSettled([parts.load()])
      // The file changed during the read, so the read may be incomplete. The next checks find the change.
      if ((await fingerprintOf(file)) !== fingerprint) return
      if (loading.status === 'rejected') throw loading.reason
      const loaded = loading.value
      const changes = changesBetween(settingDefinitions, parts.current(), loaded)
      // With another data folder, or without workers, a restart of the processes is not sufficient.
      const isOther = changes.restart.includes('dataDir') || loaded.workers === 0
      const restart = isOther ? undefined : parts.restart
      if (changes.live.length > 0) await parts.apply(changes)
      if (isNews || changes.live.length > 0) {
        log('info', 'settings_taken', { file, changed: changes.live })
      }
      if (changes.restart.length > 0 && restart !== undefined) {
        log('info', 'settings_taken', { file, changed: changes.restart })
        await restart(loaded)
      } else if (changes.restart.length > 0) {
        log('warn', 'settings_need_restart', { file, settings: changes.restart })
      }
    } catch (error) {
      log('error', 'settings_refused', { file, mistakes: mistakesOf(error) })
    }
  }

  /** Runs one reload after the other; requests during a reload cause one more. */
  function begin(work: () => Promise<void>): Promise<void> {
    reloading ??= work().finally(() => {
      reloading = null
    })
    return reloading
  }

  async function now(): Promise<void> {
    if (reloading === null) return begin(() => take({ isNews: true }))
    if (again) return reloading
    again = true
    await reloading
    again = false
    return now()
  }

  const stopChecking = clock.every(checkPeriodMs, () => {
    if (reloading === null) void begin(checkFile)
  })
  void begin(checkFile)

  return {
    now,
    async idle() {
      while (reloading !== null) await reloading
    },
    async stop() {
      stopChecking()
      while (reloading !== null) await reloading
    },
  }
}

/**
 * Fingerprint that changes with the file; a replaced file has another inode. `odd`: a pipe or similar, which can be read only once.
 */
async function fingerprintOf(file: string): Promise<string> {
  try {
    const info = await stat(file)
    if (!info.isFile()) return 'odd'
    const { ino, size, mtimeMs } = info
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return 'absent'
  }
}

function isFile(fingerprint: string): boolean {
  return fingerprint !== 'absent' && fingerprint !== 'odd'
}

function mistakesOf(error: unknown): readonly object[] {
  if (error instanceof ConfigError) {
    return error.mistakes.slice(0, loggedMax).map(({ text, fix }) => ({ text, fix }))
  }
  return [{ text: error instanceof Error ? error.message : String(error) }]
}
