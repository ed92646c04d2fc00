// SPDX-License-Identifier: GPL-3.0-or-later
// The search of a page that is opened from disk: browsers let no worker run there, so a hidden frame is one.
// By this name the theme knows it; with it, nothing has to be fetched for that.

class IFrameWorker extends EventTarget {
  constructor(url) {
    super()
    this.frame = document.createElement("iframe")
    this.frame.hidden = true
    document.documentElement.appendChild(this.frame)
    this.inside = this.frame.contentWindow
    this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
    this.inside.importScripts = (...urls) => urls.reduce((before, each) => before.then(() => this.run(each)), Promise.resolve())
    this.ready = this.run(url)
  }

  run(url) {
    return new Promise((resolve, reject) => {
      const script = this.inside.document.createElement("script")
      Object.assign(script, { src: url, onload: resolve, onerror: reject })
      this.inside.document.documentElement.appendChild(script)
    })
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
  }

  terminate() {
    this.frame.remove()
  }
}

if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = IFrameWorker
}
