// The only error of the codec: the bytes do not have the expected form.

/**
 * `message` names the expected and the actual form. Bytes from a source that cause it are never stored;
 * `verifyKeccakKinds` turns it into Fault `unverified`.
 */
export class Malformed extends Error {
  override readonly name = 'Malformed'

  constructor(expected: string, options: { readonly cause?: unknown } = {}) {
    super(`malformed: expected ${expected}`, options)
  }
}
