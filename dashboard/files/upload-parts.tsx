// Upload buttons, and the state of the upload at the bottom of the page.
// Tested by test/browser/uploads.test.ts
import { formatBytes } from '../app/format.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Icon } from '../ui/icons.tsx'
import { Progress } from '../ui/progress.tsx'
import type { UploadProgress } from './upload.ts'
import type { Uploading } from './use-upload.ts'

export function UploadButtons({ uploading }: { readonly uploading: Uploading }) {
  const disabled = uploading.state.kind === 'sending'
  return (
    <>
      <label class="button">
        Upload a folder
        <input
          class="unseen"
          type="file"
          {...{ webkitdirectory: true }}
          disabled={disabled}
          onChange={(event) => uploading.addChosen(event.currentTarget)}
        />
      </label>
      <label class="button primary">
        <Icon name="upload" size={16} /> Upload
        <input
          class="unseen"
          type="file"
          multiple
          disabled={disabled}
          onChange={(event) => uploading.addChosen(event.currentTarget)}
        />
      </label>
    </>
  )
}

export function UploadState({ uploading }: { readonly uploading: Uploading }) {
  const { state, isOver, send, dismiss } = uploading
  return (
    <>
      {isOver && (
        <div class="drop-over">
          <p>Drop to upload and pin</p>
        </div>
      )}
      {state.kind === 'sending' && (
        <div class="card uploading">
          <Progress
            title={state.name}
            value={state.progress.sent}
            max={state.progress.all}
            text={sentText(state.progress)}
          />
          <button class="button small" type="button" onClick={() => state.upload.stop()}>
            Stop
          </button>
        </div>
      )}
      {state.kind === 'done' && (
        <div class="note good" role="status">
          <div class="row">
            {`${state.name} is uploaded and pinned.`}
            <CopyButton text={state.cid} title="Copy its CID" label />
            <button class="button small quiet" type="button" onClick={dismiss}>
              Dismiss
            </button>
          </div>
        </div>
      )}
      {state.kind === 'failed' && (
        <div class="note bad" role="alert">
          <div class="row">
            {state.why}
            {state.files.length > 0 && (
              <button class="button small" type="button" onClick={() => send(state.files)}>
                {state.isBegun ? 'Resume upload' : 'Try again'}
              </button>
            )}
            <button class="button small quiet" type="button" onClick={dismiss}>
              Dismiss
            </button>
          </div>
        </div>
      )}
    </>
  )
}

function sentText({ sent, all, isWaiting }: UploadProgress): string {
  const bytes = `${formatBytes(sent)} of ${formatBytes(all)}`
  if (isWaiting) return `connection lost at ${bytes}, trying again`
  return sent >= all ? 'writing to disk' : bytes
}
