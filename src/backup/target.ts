// Storage of backups: a folder or a bucket. A target contains objects, named by the SHA-256 of their bytes, and manifests. Backups
// share objects, so a segment is stored only once.
// Tested by src/backup/target.test.ts

/** A file to store, limited to its first `bytes`. */
export type SourceFile = {
  readonly path: string
  readonly bytes: number
  /** The file is final, so the target may share it with the data folder (hard link). */
  readonly final: boolean
}

export type TargetFolder = 'backups' | 'objects'

/** All methods throw a sentence for the operator, or `signal.reason`. */
export interface BackupTarget {
  /** As the operator specified it; contains no credentials. */
  readonly label: string
  /** Number of files that are stored concurrently. */
  readonly parallel: number
  /** Removes remains of an interrupted backup. */
  clear(signal: AbortSignal): Promise<void>
  /** Names and sizes. Empty: nothing is stored yet. */
  list(folder: TargetFolder, signal: AbortSignal): Promise<ReadonlyMap<string, number>>
  /** Yields the bytes in pieces of any size; the caller verifies them. */
  read(folder: TargetFolder, name: string, signal: AbortSignal): AsyncIterable<Uint8Array>
  /** Stores an object under its digest. Throws if the bytes do not have this digest. */
  store(sha256: string, file: SourceFile, signal: AbortSignal): Promise<void>
  /** Stores a manifest, completely or not at all; when it resolves, it and all objects stored before are durable. */
  writeManifest(name: string, text: string, signal: AbortSignal): Promise<void>
  /** An absent file is not an error. */
  remove(folder: TargetFolder, name: string, signal: AbortSignal): Promise<void>
  close(): Promise<void>
}
