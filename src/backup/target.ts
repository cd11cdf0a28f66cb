// Where backups are stored: a folder or a bucket. A target contains objects, named by the SHA-256 of their bytes, and
// manifests. Backups share objects, so a segment is stored once.
// Tested by src/backup/target.test.ts

/** A file to be stored. The first `bytes` of it count. */
export type SourceFile = {
  readonly path: string
  readonly bytes: number
  /** The file does not change any more, so that the target may share it with the data folder. */
  readonly final: boolean
}

export type TargetFolder = 'backups' | 'objects'

/** All methods throw a sentence for the operator, or `signal.reason`. */
export interface BackupTarget {
  /** As the operator wrote it; contains no credentials. */
  readonly label: string
  /** Files that are stored at a time. */
  readonly parallel: number
  /** Removes what an interrupted backup left. */
  clear(signal: AbortSignal): Promise<void>
  /** Names and sizes. Empty: nothing was stored yet. */
  list(folder: TargetFolder, signal: AbortSignal): Promise<ReadonlyMap<string, number>>
  /** The bytes in pieces of any size; the caller checks them. */
  read(folder: TargetFolder, name: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Stores an object under its digest. Throws if the bytes do not have this digest. */
  store(sha256: string, file: SourceFile, signal: AbortSignal): Promise<void>
  /** Stores a manifest, completely or not at all; durable when it resolves, with all objects stored before. */
  writeManifest(name: string, text: string, signal: AbortSignal): Promise<void>
  /** No error if it is absent. */
  remove(folder: TargetFolder, name: string, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
