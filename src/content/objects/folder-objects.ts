// An object store in a folder, one file per object: for tests, and as the reference of the suite. Not durable against power loss.
// Tested by src/content/objects/folder-objects.test.ts
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type ObjectStore, ObjectNotFound } from './object-store.ts'
import { createPartBuffers } from './part-buffers.ts'
import { createPartsWriter } from './parts-writer.ts'

/** Suffix of an unfinished object, which is never listed. */
const unfinished = '.unfinished'
const partBuffersMax = 4

/** `partBytes`: part size of `putParts`. Throws the system's errors. */
export function createFolderObjects(path: string, partBytes = 8 * 1024 * 1024): ObjectStore {
  const buffers = createPartBuffers(partBuffersMax, partBytes)

  /** Atomic: a rename makes the object visible. */
  async function put(name: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const temporary = join(path, unfinished, randomUUID())
    await mkdir(dirname(temporary), { recursive: true })
    try {
      await writeFile(temporary, body, { signal })
      await publish(temporary, name, signal)
    } finally {
      await rm(temporary, { force: true })
    }
  }

  async function publish(temporary: string, name: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const target = join(path, name)
    await mkdir(dirname(target), { recursive: true })
    await rename(temporary, target)
  }

  return {
    put,
    putParts(name) {
      const folder = join(path, unfinished, randomUUID())
      const partPath = (number: number): string => join(folder, String(number))
      return createPartsWriter<number>(
        {
          put: (body, signal) => put(name, body, signal),
          async begin() {
            await mkdir(folder, { recursive: true })
            return folder
          },
          async putPart(_id, number, body, signal) {
            await writeFile(partPath(number), body, { signal })
            return number
          },
          async end(_id, parts, signal) {
            const assembled = `${folder}.whole`
            const file = await open(assembled, 'w')
            try {
              for (const number of parts) {
                await file.appendFile(await readFile(partPath(number)))
              }
            } finally {
              await file.close()
            }
            await publish(assembled, name, signal)
            await rm(folder, { recursive: true, force: true })
          },
          abort: () => rm(folder, { recursive: true, force: true }),
        },
        buffers,
      )
    },
    async read(name, at, bytes, signal, most = bytes) {
      signal.throwIfAborted()
      if (most === 0) return new Uint8Array(0)
      const file = await open(join(path, name)).catch((error: unknown) => {
        throw new ObjectNotFound(name, error)
      })
      try {
        const into = Buffer.allocUnsafeSlow(most)
        const { bytesRead } = await file.read(into, 0, most, at)
        if (bytesRead < bytes) throw new ObjectNotFound(name)
        return into.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    async remove(names, signal) {
      for (const name of names) {
        signal.throwIfAborted()
        await rm(join(path, name), { force: true })
      }
    },
    async *list(prefix, after, signal) {
      await mkdir(path, { recursive: true })
      const entries = await readdir(path, { recursive: true, withFileTypes: true })
      const names = entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(path, join(entry.parentPath, entry.name)))
        .filter((name) => !name.startsWith(unfinished) && name.startsWith(prefix) && name > after)
      for (const name of names.toSorted()) {
        signal.throwIfAborted()
        yield name
      }
    },
    isAvailable: true,
    async close() {},
  }
}
