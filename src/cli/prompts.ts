// Questions to a person, answered by one line each from the terminal or from piped text.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './usage-error.ts'

export type Prompts = {
  /** The answer, trimmed. Throws UsageError at the end of the input, or on Ctrl-C. */
  ask(question: string): Promise<string>
  /** As `ask`, without echo and without trimming. */
  askHidden(question: string): Promise<string>
  close(): void
}

/** `show`: the stream for questions, so that standard output contains only results. */
export function promptTerminal(input: NodeJS.ReadableStream, show: NodeJS.WritableStream): Prompts {
  const output = mutable(show)
  const lines = createInterface({ input, output: output.stream, terminal: true })
  // Lines that were pasted or typed ahead are queued for their question.
  const typed: string[] = []
  let ended = false
  let wake = () => {}
  lines.on('line', (line) => {
    typed.push(line)
    wake()
  })
  lines.on('close', () => {
    ended = true
    wake()
  })
  async function next(question: string): Promise<string> {
    lines.setPrompt(question)
    lines.prompt()
    if (typed.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve))
    const answer = typed.shift()
    if (answer !== undefined) return answer
    show.write('\n')
    throw new UsageError('interrupted: nothing was changed')
  }

  return {
    ask: async (question) => (await next(question)).trim(),
    async askHidden(question) {
      show.write(question)
      output.muted = true
      try {
        return await next('')
      } finally {
        output.muted = false
        show.write('\n')
      }
    },
    close: () => lines.close(),
  }
}

/** Forwards writes to `show`, except while muted. */
function mutable(show: NodeJS.WritableStream): { readonly stream: Writable; muted: boolean } {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!output.muted) show.write(chunk)
      done()
    },
  })
  // Use the terminal's width for line wraps.
  Object.defineProperty(stream, 'columns', { get: () => Reflect.get(show, 'columns') as unknown })
  const output = { stream, muted: false }
  return output
}

/** Each line is one answer; an empty line selects the default. */
export function promptText(text: string): Prompts {
  const answers = text.split(/\r?\n/)
  if (answers.at(-1) === '') answers.pop()
  function next(question: string): string {
    const answer = answers.shift()
    if (answer !== undefined) return answer
    throw new UsageError(
      `standard input ended before "${question.trim().split('\n').at(-1)?.trim()}" was answered: send one line per question, or use --yes`,
    )
  }
  return {
    ask: async (question) => next(question).trim(),
    askHidden: async (question) => next(question),
    close: () => {},
  }
}
