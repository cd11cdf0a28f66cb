// Errors of an S3 service, with their fixes for the operator.
// Tested by test/backup/backup-s3.test.ts, src/content/objects/s3-client.test.ts
import type { S3Policy } from './s3-policy.ts'

/** The message is a sentence for the operator. `status` 0: no reply. `code`: the service's error code, may be empty. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  readonly status: number
  readonly code: string
  constructor(message: string, status: number, { code = '', cause }: S3ErrorDetails = {}) {
    super(message, { cause })
    this.status = status
    this.code = code
  }
}

type S3ErrorDetails = { readonly code?: string; readonly cause?: unknown }

/** Codes for an object that does not exist, or ends before the range. */
const missing: ReadonlySet<string> = new Set(['NoSuchKey', 'InvalidRange'])

type Names = S3Policy['names']

const otherRegion = (_bucket: string, { region, endpoint }: Names): string =>
  `check ${region} and ${endpoint}`
const unknownKey = (_bucket: string, { accessKeyId }: Names): string =>
  `the service does not know ${accessKeyId}`

/** Fixes by the S3 code or by status. */
const fixes: Readonly<Record<string, (bucket: string, names: Names) => string>> = {
  InvalidAccessKeyId: unknownKey,
  // A code of versitygw.
  XAdminUserNotFound: unknownKey,
  SignatureDoesNotMatch: (_bucket, names) => `check ${names.secretAccessKey}`,
  AccessDenied: (bucket) => `the key may not read and write ${bucket}`,
  NoSuchBucket: (bucket) => `create the bucket ${bucket} first`,
  NoSuchKey: () => 'the object is missing',
  AuthorizationHeaderMalformed: (_bucket, { region }) => `check ${region}`,
  PermanentRedirect: otherRegion,
  RequestTimeTooSkewed: () => 'set the clock of this machine',
  '301': otherRegion,
  '403': (bucket) => `the key may not read and write ${bucket}`,
}

/** Whether another try may succeed. */
export function isTemporary({ status }: S3Error): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500
}

/** Whether the object does not exist, or ends before the range. */
export function isMissing(thrown: unknown): thrown is S3Error {
  return thrown instanceof S3Error && missing.has(thrown.code)
}

/** The fix for the operator; null: unknown. */
export function fixOf(status: number, code: string, bucket: string, names: Names): string | null {
  return (fixes[code] ?? fixes[String(status)])?.(bucket, names) ?? null
}
