// Opens the target that the operator specified: a folder, or `s3://bucket/prefix`.
// Tested by src/backup/target.test.ts
import type { Clock } from '../base/clock.ts'
import { parseBucketUrl } from '../content/objects/bucket-url.ts'
import { openFolderTarget } from './folder-target.ts'
import type { S3Settings } from '../content/objects/s3-policy.ts'
import { openS3Target } from './s3-target.ts'
import type { BackupTarget } from './target.ts'

/** `accessKeyId` and `secretAccessKey` null: only folders can be opened. */
export type S3Access = Pick<S3Settings, 'endpoint' | 'region'> & {
  readonly accessKeyId: string | null
  readonly secretAccessKey: string | null
}

/** Throws a sentence for the operator. Sends no request. */
export function openTarget(text: string, s3: S3Access, clock: Clock): BackupTarget {
  if (!text.startsWith('s3:')) {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw new Error(`${text} is ${expected}`)
    return openFolderTarget(text)
  }
  const bucket = parseBucketUrl(text)
  if (bucket === null) throw new Error(`${text} is ${expected}`)
  const { accessKeyId, secretAccessKey } = s3
  if (accessKeyId === null || secretAccessKey === null) {
    const missing = accessKeyId === null ? 'accessKeyId' : 'secretAccessKey'
    throw new Error(`${text} needs a key: set backup.s3.${missing}`)
  }
  return openS3Target({ ...s3, accessKeyId, secretAccessKey }, { label: text, ...bucket }, clock)
}

const expected = 'no target of backups: expected a folder or s3://<bucket>/<prefix>'
