// Floors for storage, measured in the same run: only hashing, and only the disk.
import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { FileBytes } from './data/file-bytes.ts'

const pieceBytes = 256 * 1024
const slotBytes = 4 * 1024 * 1024
const slots = 4
const readBytes = 1024 * 1024
const readsAhead = 2

/** Page-aligned memory, which direct writes require. Missing in Node's types. */
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: { Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } }
  }
).WebAssembly

/**
 * Hashes chunks of 256 KiB with SHA-256 of `node:crypto` on one core: bytes per second, and processor seconds per
 * GiB.
 */
export function measureSha(file: FileBytes): { readonly rate: number; readonly cpu: number } {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  for (let at = 0; at < file.bytes; at += pieceBytes) hash('sha256', file.slice(at, pieceBytes))
  const ms = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  return {
    rate: (file.bytes / ms) * 1000,
    cpu: ((user + system) / 1e6 / file.bytes) * 2 ** 30,
  }
}

/**
 * Bytes per second into a new file, in slots of 4 MiB, synced at the end; with `direct` also of reading it, in the way in which
 * Cairn reads large files for the first time: 1 MiB at a time, two in flight. Null if the file system does not support direct
 * writes.
 */
export async function diskRate(
  path: string,
  file: FileBytes,
  { direct }: { readonly direct: boolean },
): Promise<{ readonly written: number; readonly read: number | null } | null> {
  const handle = await openFresh(path, direct)
  if (handle === null) return null
  const memory = new Memory({ initial: (slots * slotBytes) / 65_536 })
  const busy: Promise<unknown>[] = Array.from({ length: slots }, () => Promise.resolve())
  const begun = performance.now()
  try {
    for (let at = 0; at < file.bytes; at += slotBytes) {
      const turn = (at / slotBytes) % slots
      await busy[turn]
      const slot = new Uint8Array(memory.buffer, turn * slotBytes, slotBytes)
      for (let into = 0; into < slotBytes; into += pieceBytes) {
        slot.set(file.slice(at + into, pieceBytes), into)
      }
      busy[turn] = handle.write(slot, 0, slotBytes, at)
    }
    await Promise.all(busy)
    await handle.datasync()
    const written = (file.bytes / (performance.now() - begun)) * 1000
    return { written, read: direct ? await readRate(path, file.bytes) : null }
  } finally {
    await handle.close()
    await rm(path)
  }
}

async function readRate(path: string, bytes: number): Promise<number> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECT)
  const memory = new Memory({ initial: (readsAhead * readBytes) / 65_536 })
  try {
    const begun = performance.now()
    let next = 0
    await Promise.all(
      Array.from({ length: readsAhead }, async (_, turn) => {
        const into = new Uint8Array(memory.buffer, turn * readBytes, readBytes)
        while (next < bytes) {
          const at = next
          next += readBytes
          await handle.read(into, 0, readBytes, at)
        }
      }),
    )
    return (bytes / (performance.now() - begun)) * 1000
  } finally {
    await handle.close()
  }
}

async function openFresh(path: string, direct: boolean): Promise<FileHandle | null> {
  const fresh = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
  if (!direct) return await open(path, fresh)
  // Absent on some platforms, unlike its type.
  const flag = constants.O_DIRECT as number | undefined
  if (flag === undefined) return null
  try {
    return await open(path, fresh | flag)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EINVAL') return null
    throw error
  }
}
