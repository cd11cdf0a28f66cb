// Shown while a worker re-executes a call, and if the fork rules of the network are unknown.
// Tested by test/browser/call-proof.test.ts
import { useState } from 'preact/hooks'
import { Card } from '../ui/card.tsx'
import { Note } from '../ui/note.tsx'
import { Progress } from '../ui/progress.tsx'

export function Checking({ isLoaded, stop }: { readonly isLoaded: boolean; stop(): void }) {
  return (
    <Card>
      <div role="status">
        <Progress
          title={isLoaded ? 'Running the call in this browser' : 'Loading the EVM'}
          value={0}
          max={null}
        />
      </div>
      <div class="row">
        <button class="button" type="button" onClick={stop}>
          Stop
        </button>
      </div>
    </Card>
  )
}

/** The server's limit for a genesis file. */
const bytesMax = 64 * 1024 * 1024

/** No hash commits to fork rules, so the person supplies them. `onFile`: receives the text of the file. */
export function GenesisNeeded({
  why,
  onFile,
}: {
  readonly why: string
  onFile(text: string): void
}) {
  const [problem, setProblem] = useState<string | null>(null)
  const read = async (file: File): Promise<void> => {
    if (file.size > bytesMax) return setProblem('The file is larger than 64 MiB.')
    onFile(await file.text())
  }
  return (
    <Card
      title="Which fork rules?"
      about="A call is proved by running it again, and the result depends on the forks of the network. No hash commits to them."
    >
      <Note tone="warn">{why}</Note>
      {problem !== null && <Note tone="bad">{problem}</Note>}
      <p>
        Choose the genesis file of the network, in the form of geth. It stays in this browser, until
        you leave the page.
      </p>
      <div class="row">
        <label class="button">
          Choose genesis file
          <input
            class="unseen"
            type="file"
            accept=".json,application/json"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              event.currentTarget.value = ''
              if (file !== undefined) void read(file)
            }}
          />
        </label>
      </div>
    </Card>
  )
}
