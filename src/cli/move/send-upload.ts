// Sends files as one upload to a command of the IPFS API, and reads each file while it is sent.
// Tested by test/cli/add-get.test.ts
import { randomUUID } from 'node:crypto'
import type { HttpClient } from '../../ipfs/sources/http-client.ts'
import { bodyOf } from '../import/api-reply.ts'
import { silenceMs } from '../with-server.ts'
import { multipartBody, type MultipartTerms } from './multipart-body.ts'
import type { UploadItem } from './upload-list.ts'

export type Upload = Omit<MultipartTerms, 'boundary'> & {
  /** Path of the command, such as `/api/v0/add`. */
  readonly path: string
  readonly query?: readonly (readonly [string, string])[]
  readonly items: readonly UploadItem[]
}

/**
 * Returns the result of `read` for the reply's body. Throws Refused, HttpTrouble, the reason of `signal`, errors of `read`, or the
 * file system error of a file that cannot be read, which aborts the request.
 */
export async function sendUpload<T>(
  client: HttpClient,
  { path, query = [], items, ...terms }: Upload,
  read: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const boundary = `cairn-${randomUUID()}`
  let failure: { readonly thrown: unknown } | null = null
  async function* watched(): AsyncGenerator<Uint8Array> {
    try {
      yield* multipartBody(items, { ...terms, boundary })
    } catch (thrown) {
      failure = { thrown }
      throw thrown
    }
  }
  try {
    const reply = await client.open(
      {
        method: 'POST',
        path,
        query,
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: watched(),
        timeoutMs: silenceMs,
      },
      signal,
    )
    return await read(await bodyOf(reply))
  } catch (thrown) {
    // The file error is the cause; the client's error only reports the aborted request.
    if (failure !== null) throw (failure as { readonly thrown: unknown }).thrown
    throw thrown
  }
}
