// The one error the codec throws: bytes that are not what their reader expects.

/**
 * `message` names what was expected and what was there. Bytes from a source that cause it are never
 * kept; `verifyKeccakKinds` turns it into Fault `unverified`.
 */
export class Malformed extends Error {
  override readonly name = 'Malformed'

  constructor(expected: string, options: { readonly cause?: unknown } = {}) {
    super(`malformed: expected ${expected}`, options)
  }
}
