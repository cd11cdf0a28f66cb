// Settings of an S3 service, and what its callers expect: waits, retries, checksums, and setting names in errors.
// Tested by src/content/objects/s3-client.test.ts

export type S3Settings = {
  /** `https://s3.example.com`; null: that of AWS in the region. Requests are `<endpoint>/<bucket>/<key>`. */
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export type S3Policy = {
  /** Before the second and before the third try. */
  readonly waitsMs: readonly [number, number]
  /** Retries per request, after the first few; null: as many as the tries. */
  readonly retryShare: number | null
  readonly connections: number
  /** Without a byte of the reply, after the request was sent. */
  readonly silenceMs: number
  /** Bodies carry a CRC32. Over TLS it replaces the SHA-256, which costs more time. */
  readonly checksums: boolean
  /** Setting names in errors. */
  readonly names: Readonly<
    Record<'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey', string>
  >
}

/** Of backups, which nothing waits for. */
export const backupPolicy: S3Policy = {
  waitsMs: [500, 2000],
  retryShare: null,
  connections: 4,
  silenceMs: 120_000,
  checksums: false,
  names: {
    endpoint: 'backup.s3.endpoint',
    region: 'backup.s3.region',
    accessKeyId: 'backup.s3.accessKeyId',
    secretAccessKey: 'backup.s3.secretAccessKey',
  },
}

/** Of objects, which clients wait for. */
export const objectsPolicy: S3Policy = {
  waitsMs: [100, 400],
  retryShare: 0.1,
  connections: 64,
  silenceMs: 30_000,
  checksums: true,
  names: {
    endpoint: 'objects.endpoint',
    region: 'objects.region',
    accessKeyId: 'objects.accessKeyId',
    secretAccessKey: 'objects.secretAccessKey',
  },
}
