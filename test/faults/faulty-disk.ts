// A disk with faults for a process that a test starts: a library in C (faulty-disk.c) that the process loads before libc.
// It flips a bit of, cuts short, refuses or delays the reads, writes and syncs that the rules name. Rules may change while
// the process runs. Linux only, and only where there is a C compiler.
// Tested by test/faults/faulty-disk.test.ts
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `flip`: one bit of what is read, or of what is written, is wrong. `cut`: a read gives half of its bytes and looks like
 * the end of the file; the second half of a write becomes zeros, unnoticed. `fail`: the call fails with `errno`. `delay`: it
 * takes `ms` longer. A read never changes the disk.
 */
export type DiskFault = {
  readonly op: 'read' | 'write' | 'sync'
  readonly action: 'flip' | 'cut' | 'fail' | 'delay'
  /** Glob over the absolute path; `*` matches `/` too. */
  readonly path: string
  /** The first call that gets the fault, from 1 on (default 1), and how many get it (default 1; 0: all from there on). */
  readonly nth?: number
  readonly times?: number
  /** In place of `nth`: each call gets it with this chance, per mille. `seed`: of the chance, and of the byte of a flip. */
  readonly chance?: number
  readonly seed?: number
  /** Only calls of so many bytes at least. */
  readonly min?: number
  /** Only calls that cover this place of the file; a flip hits that byte. */
  readonly at?: number
  /** Of the byte that is flipped: 0 (default) to 7. */
  readonly bit?: number
  /** Of a delay (default 10). */
  readonly ms?: number
  /** Of a failure (default 5, EIO). */
  readonly errno?: number
}

/** One fault that happened. `at`: place in the file, -1 where the call named none. */
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
  /** Replaces all rules; each counts from its first call again. */
  set(faults: readonly DiskFault[]): void
  /** What happened so far. */
  done(): readonly DoneFault[]
  remove(): void
}

const source = fileURLToPath(new URL('faulty-disk.c', import.meta.url))

/** Null with the reason where it cannot be made: `skip` of a test takes it as it is. */
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
      // As a whole: the process looks at the file before each call.
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
