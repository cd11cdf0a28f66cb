// The layout or ABI of the contract: selected, dropped or pasted once, then shown as one line.
// Tested by test/browser/slots.test.ts
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { messageOf } from '../app/api.ts'
import { formatCount } from '../app/format.ts'
import { AreaField } from '../ui/field.tsx'
import { readSource, type Source } from './source.ts'

export function LayoutField({
  source,
  onSource,
  beside,
}: {
  readonly source: Source | null
  onSource(source: Source | null): void
  /** Content after the file button. */
  readonly beside: ComponentChildren
}) {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string | null>(null)
  const [isChanging, setChanging] = useState(false)

  function loadLayout(json: string): void {
    setText(json)
    setWrong(null)
    if (json.trim() === '') return
    try {
      onSource(readSource(json))
      setText('')
    } catch (thrown) {
      setWrong(messageOf(thrown))
    }
  }

  if (source !== null) {
    return (
      <div class="row apart">
        <p role="status">{lineOf(source)}</p>
        <button
          class="link"
          type="button"
          onClick={() => {
            setChanging(true)
            onSource(null)
          }}
        >
          Change layout
        </button>
      </div>
    )
  }
  return (
    <div
      class="stack tight"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        const file = event.dataTransfer?.files[0]
        if (file !== undefined) void file.text().then(loadLayout)
      }}
    >
      <AreaField
        title="Contract layout"
        hint="The storageLayout of solc or forge, an artifact of forge or hardhat with a layout, or an ABI, as JSON. It stays in this browser."
        placeholder="Paste JSON, or drop a file here"
        value={text}
        onValue={loadLayout}
        error={wrong}
        rows={4}
        focused={isChanging}
      />
      <div class="row">
        <label class="button">
          Choose file
          <input
            class="unseen"
            type="file"
            accept=".json,application/json"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              event.currentTarget.value = ''
              if (file !== undefined) void file.text().then(loadLayout)
            }}
          />
        </label>
        {beside}
      </div>
    </div>
  )
}

function lineOf(source: Source): string {
  return source.kind === 'layout'
    ? `A storage layout with ${formatCount(source.layout.variables.length, 'variable')}.`
    : 'An ABI. Values of one word with a getter can be read.'
}
