// Buffers lines for a slow destination, such as a file or a pipe. The lines of one event-loop turn are written together, one
// write at a time. Adding a line never blocks: lines over the limit are dropped and counted.
// Tested by src/base/line-buffer.test.ts

export type LineBuffer = {
  /** `line` without a line feed. */
  add(line: string): void
  /** Number of lines that did not fit, or whose write failed. */
  readonly dropped: number
  /** Resolves when no line waits. Never rejects. */
  flush(): Promise<void>
}

/**
 * `write`: resolves when the text is written; the next call follows after that. `failed`: receives the error of a write and the
 * number of lost lines.
 */
export function createLineBuffer(parts: {
  readonly write: (text: string) => Promise<void>
  readonly failed: (error: unknown, lines: number) => void
  /** Limit of waiting lines, without those in the current write. */
  readonly charsMax: number
}): LineBuffer {
  const { write, failed, charsMax } = parts
  let text = ''
  let lines = 0
  let dropped = 0
  let isDue = false
  let writing: Promise<void> | null = null

  async function writeAll(): Promise<void> {
    while (lines > 0) {
      const [batch, count] = [text, lines]
      text = ''
      lines = 0
      try {
        await write(batch)
      } catch (error) {
        dropped += count
        failed(error, count)
      }
    }
  }

  function begin(): Promise<void> {
    writing ??= writeAll().finally(() => {
      writing = null
    })
    return writing
  }

  return {
    add(line) {
      if (text.length + line.length >= charsMax) {
        dropped++
        return
      }
      text += line + '\n'
      lines++
      if (isDue || writing !== null) return
      isDue = true
      setImmediate(() => {
        isDue = false
        void begin()
      })
    },
    get dropped() {
      return dropped
    },
    async flush() {
      while (lines > 0 || writing !== null) await begin()
    },
  }
}
