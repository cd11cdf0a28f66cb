// Errors of an S3 service, each with what the operator can change.
// Tested by test/backup/backup-s3.test.ts, src/content/objects/s3-client.test.ts
import type { S3Policy } from './s3-policy.ts'

/** The message is a sentence for the operator. `status` 0: no reply. `code`: of the service, may be empty. */
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

/** Codes of an object that does not exist, or ends before the range. */
const missing: ReadonlySet<string> = new Set(['NoSuchKey', 'InvalidRange'])

type Names = S3Policy['names']

const otherRegion = (_bucket: string, { region, endpoint }: Names): string =>
  `check ${region} and ${endpoint}`
const unknownKey = (_bucket: string, { accessKeyId }: Names): string =>
  `the service does not know ${accessKeyId}`

/** What to change, by the code of S3 or by status. */
const fixes: Readonly<Record<string, (bucket: string, names: Names) => string>> = {
  InvalidAccessKeyId: unknownKey,
  // Of versitygw.
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

/** Another try may succeed. */
export function isTemporary({ status }: S3Error): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500
}

/** There is no such object, or it ends before the range. */
export function isMissing(thrown: unknown): thrown is S3Error {
  return thrown instanceof S3Error && missing.has(thrown.code)
}

/** What the operator can change; null: unknown. */
export function fixOf(status: number, code: string, bucket: string, names: Names): string | null {
  return (fixes[code] ?? fixes[String(status)])?.(bucket, names) ?? null
}
