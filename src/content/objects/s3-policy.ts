// Settings of an S3 service, and policies of its callers: delays, retries, checksums, and setting names in errors.
// Tested by src/content/objects/s3-client.test.ts

export type S3Settings = {
  /** `https://s3.example.com`; null: the endpoint of AWS in the region. Requests are `<endpoint>/<bucket>/<key>`. */
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export type S3Policy = {
  /** Delays before the second and the third try. */
  readonly retryDelaysMs: readonly [number, number]
  /** Retries per request, after the first few; null: limited only by the number of tries. */
  readonly retryShare: number | null
  readonly connections: number
  /** Maximum time without a byte of the reply after the request was sent. */
  readonly silenceMs: number
  /** Bodies carry a CRC32. Over TLS it replaces the slower SHA-256. */
  readonly checksums: boolean
  /** Setting names in errors. */
  readonly names: Readonly<
    Record<'endpoint' | 'region' | 'accessKeyId' | 'secretAccessKey', string>
  >
}

/** For backups, which no client waits for. */
export const backupPolicy: S3Policy = {
  retryDelaysMs: [500, 2000],
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

/** For objects, which clients wait for. */
export const objectsPolicy: S3Policy = {
  retryDelaysMs: [100, 400],
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
