// A faulty disk for a process started by a test: a C library (faulty-disk.c) that the process loads before libc. It corrupts,
// truncates, fails or delays the reads, writes and syncs that match rules. Rules can change while the process runs. Linux only, and
// only with a C compiler.
// Tested by test/faults/faulty-disk.test.ts
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `flip`: one bit of the read or written bytes is wrong. `cut`: a read returns half of its bytes, as at the end of the file; the
 * second half of a write becomes zeros, without an error. `fail`: the call fails with `errno`. `delay`: the call takes `ms` longer.
 * A read never changes the disk.
 */
export type DiskFault = {
  readonly op: 'read' | 'write' | 'sync'
  readonly action: 'flip' | 'cut' | 'fail' | 'delay'
  /** Glob over the absolute path; `*` matches `/` too. */
  readonly path: string
  /** The first call with the fault, from 1 (default 1), and the number of calls (default 1; 0: all from there on). */
  readonly nth?: number
  readonly times?: number
  /** Instead of `nth`: the probability of the fault, per mille. `seed`: for the probability, and for the byte of a flip. */
  readonly chance?: number
  readonly seed?: number
  /** Only calls with at least this many bytes. */
  readonly min?: number
  /** Only calls that include this position of the file; a flip changes that byte. */
  readonly at?: number
  /** Bit of the flipped byte: 0 (default) to 7. */
  readonly bit?: number
  /** Duration of a delay in milliseconds (default 10). */
  readonly ms?: number
  /** Error number of a failure (default 5, EIO). */
  readonly errno?: number
}

/** A fault that occurred. `at`: position in the file, -1 if the call has none. */
export type DoneFault = {
  readonly op: string
  readonly action: string
  readonly path: string
  readonly at: number
  readonly bytes: number
}

export type FaultyDisk = {
  /** Environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Replaces all rules and resets their counts. */
  set(faults: readonly DiskFault[]): void
  /** The faults so far. */
  done(): readonly DoneFault[]
  remove(): void
}

const source = fileURLToPath(new URL('faulty-disk.c', import.meta.url))

/** The reason if the library cannot be compiled, else null; for `skip` of a test. */
export function makeFaultyDisk(): {
  readonly disk: FaultyDisk | null
  readonly skip: string | false
} {
  if (process.platform !== 'linux')
    return { disk: null, skip: 'faults are made by LD_PRELOAD: Linux only' }
  const folder = mkdtempSync(join(tmpdir(), 'cairn-faulty-disk-'))
  const library = join(folder, 'faulty-disk.so')
  try {
    execFileSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl', '-lpthread'], {
      stdio: 'pipe',
    })
  } catch (error) {
    rmSync(folder, { recursive: true })
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return { disk: null, skip: `faults need a C compiler: ${reason}` }
  }
  return { disk: openFaultyDisk(folder, library), skip: false }
}

function openFaultyDisk(folder: string, library: string): FaultyDisk {
  const rules = join(folder, 'rules')
  const logPath = `${rules}.log`
  return {
    env: { LD_PRELOAD: library, FAULTY_DISK: rules },
    set(faults) {
      const lines = faults.map(({ op, action, path, ...numbers }) =>
        [op, action, path, ...Object.entries(numbers).map((pair) => pair.join('='))].join('\t'),
      )
      // Replaced atomically: the process checks the file before each call.
      writeFileSync(`${rules}.new`, lines.map((line) => `${line}\n`).join(''))
      renameSync(`${rules}.new`, rules)
    },
    done() {
      if (!existsSync(logPath)) return []
      const lines = readFileSync(logPath, 'utf8').trimEnd().split('\n')
      return lines.map((line) => {
        const [op = '', action = '', path = '', at = '', bytes = ''] = line.split('\t')
        return { op, action, path, at: Number(at), bytes: Number(bytes) }
      })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
