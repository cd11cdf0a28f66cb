// Follows a path from a CID to the bytes of a file and verifies each block in the browser.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import { callFiles, type KeyPlace } from '../app/as-key.ts'
import { type Choices, KeyPick, type useKeyChoice } from '../app/choose-key.tsx'
import { formatCount } from '../app/format.ts'
import { Card } from '../ui/card.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { type BlockStep, blockStep } from './file-steps.ts'
import { Verdict } from './verdict.tsx'
import { FileStepList } from './step-list.tsx'

/** Maximum number of shown blocks. */
const blocksMax = 64
const previewBytes = 4096

type Shown = {
  readonly steps: readonly BlockStep[]
  /** Number of links of the file that the page did not follow. */
  readonly left: number
  readonly preview: string | null
}

export function FileProof({
  choices,
  choice,
  place,
  requested,
}: {
  readonly choices: Choices
  readonly choice: ReturnType<typeof useKeyChoice>
  readonly place: KeyPlace
  readonly requested: string | null
}) {
  const [path, setPath] = useState(requested ?? '')
  const [shown, setShown] = useState<Shown | null>(null)
  const sending = useSending()
  return (
    <>
      <Card>
        <Form
          sending={sending}
          action="Fetch and check"
          toolbar={<KeyPick choices={choices} choice={choice} />}
          onSend={async () => {
            setShown(null)
            setShown(await follow(place, path.trim()))
          }}
        >
          <TextField
            title="CID, optionally with a path"
            hint="bafybei…/folder/file.txt"
            value={path}
            onValue={setPath}
          />
        </Form>
      </Card>
      {shown !== null && <Found shown={shown} />}
    </>
  )
}

function Found({ shown: { steps, left, preview } }: { readonly shown: Shown }) {
  const isValid = steps.every((step) => step.isValid)
  return (
    <section class="card flush" aria-label="File">
      <Verdict
        isProved={isValid}
        text={
          isValid
            ? `${formatCount(steps.length, 'block')}, each by its own hash, from the CID to the bytes.`
            : 'The hash of a block differs from its CID.'
        }
      />
      <FileStepList steps={steps} />
      <div class="card-body stack">
        {left > 0 && (
          <p class="soft">{`The file has ${formatCount(left, 'more block')} that ${left === 1 ? 'is' : 'are'} not shown.`}</p>
        )}
        {preview !== null && (
          <div class="field">
            <span class="field-title">Start of the content</span>
            <pre class="raw" tabIndex={0}>
              {preview}
            </pre>
          </div>
        )}
      </div>
    </section>
  )
}

async function follow(place: KeyPlace, path: string): Promise<Shown> {
  const [root = '', ...names] = path
    .replace(/^\/?(ipfs\/)?/, '')
    .split('/')
    .filter((segment) => segment !== '')
  const steps: BlockStep[] = []
  let at = await fetchBlock(place, root)
  steps.push(at)
  for (const name of names) {
    const link = at.links.find((one) => one.name === name)
    if (link === undefined) throw new Error(`${at.cid} has no entry named ${name}`)
    at = await fetchBlock(place, link.cid)
    steps.push(at)
  }
  const content: Uint8Array[] = at.content === null ? [] : [at.content]
  const unread = at.title === 'Node of a file' ? at.links.map(({ cid }) => cid) : []
  while (unread.length > 0 && steps.length < blocksMax) {
    const step = await fetchBlock(place, unread.shift() ?? '')
    steps.push(step)
    if (step.content !== null) content.push(step.content)
    unread.unshift(...step.links.map(({ cid }) => cid))
  }
  return { steps, left: unread.length, preview: previewOf(content) }
}

async function fetchBlock(place: KeyPlace, cid: string): Promise<BlockStep> {
  const response = await callFiles(place, 'block/get', { arg: cid })
  return blockStep(cid, new Uint8Array(await response.arrayBuffer()))
}

/** The start of a text file; null: not text. */
function previewOf(pieces: readonly Uint8Array[]): string | null {
  const first = new Uint8Array(previewBytes)
  let length = 0
  for (const piece of pieces) {
    const part = piece.slice(0, previewBytes - length)
    first.set(part, length)
    length += part.length
  }
  if (length === 0) return null
  const text = new TextDecoder().decode(first.slice(0, length))
  // oxlint-disable-next-line no-control-regex -- finds control characters
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text.slice(0, -1)) ? null : text
}
