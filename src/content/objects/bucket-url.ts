// URLs of buckets: `s3://<bucket>/<prefix>`.
// Tested by src/backup/target.test.ts

export type BucketLocation = {
  readonly bucket: string
  /** Prefix of all keys, without slashes at its ends; may be empty. */
  readonly prefix: string
}

/** Bucket names of S3, and prefixes that are encoded the same way everywhere. */
const s3Form =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*))?\/?$/

/** Null: `text` does not have this form. */
export function parseBucketUrl(text: string): BucketLocation | null {
  const [, bucket, prefix = ''] = s3Form.exec(text) ?? []
  return bucket === undefined ? null : { bucket, prefix }
}
