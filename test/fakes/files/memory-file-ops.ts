// FileOps in memory, for tests, which can read, truncate and corrupt the files.
import type { FileOps, OpenFile } from '../../../src/content/file-ops.ts'

export type MemoryFileOps = FileOps & {
  /** Complete content by path. */
  readonly files: Map<string, Uint8Array>
}

export function createMemoryFileOps(): MemoryFileOps {
  const files = new Map<string, Uint8Array>()

  function contentOf(path: string): Uint8Array {
    const content = files.get(path)
    if (content === undefined) throw systemError('ENOENT', path)
    return content
  }

  function readNow({ path }: OpenFile, into: Uint8Array, at: number): number {
    const part = contentOf(path).subarray(at, at + into.length)
    into.set(part)
    return part.length
  }

  async function writev(
    { path }: OpenFile,
    buffers: readonly Uint8Array[],
    at: number,
  ): Promise<void> {
    const bytes = buffers.reduce((sum, each) => sum + each.length, 0)
    const before = contentOf(path)
    const content = new Uint8Array(Math.max(before.length, at + bytes))
    content.set(before)
    let to = at
    for (const each of buffers) {
      content.set(each, to)
      to += each.length
    }
    files.set(path, content)
  }

  return {
    files,
    async open(path, how = {}) {
      if (how.create !== true) contentOf(path)
      else if (files.has(path)) throw systemError('EEXIST', path)
      else files.set(path, new Uint8Array(0))
      return { path }
    },
    openNow(path) {
      contentOf(path)
      return { path }
    },
    writev,
    writeSynced: writev,
    read: async (file, into, at) => readNow(file, into, at),
    readNow,
    async datasync() {},
    async close() {},
    makeFolderNow() {},
    listNow: (path) =>
      [...files]
        .filter(([name]) => name.startsWith(`${path}/`))
        .map(([name, { length }]) => ({ name: name.slice(path.length + 1), bytes: length })),
    diskSpaceNow: () => null,
    async syncDirectory() {},
    async rename(from, to) {
      files.set(to, contentOf(from))
      files.delete(from)
    },
    async unlink(path) {
      contentOf(path)
      files.delete(path)
    },
  }
}

/** An error as Node throws it for this code. */
export function systemError(code: string, path = ''): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
