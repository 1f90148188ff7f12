// Workers for pages opened from a folder, where browsers refuse real ones: the search then runs in a hidden frame.
"use strict";
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      this.inside = this.frame.contentWindow;
      this.answered = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      const page = this.inside.document;
      page.open();
      page.write("<!doctype html><title>worker</title>");
      page.close();
      this.inside.postMessage = this.answered;
      this.inside.importScripts = (...urls) => Promise.all(urls.map((u) => this.load(u)));
      this.ready = this.load(new URL(url, location.href).href);
    }
    load(url) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script");
        script.onload = done;
        script.onerror = failed;
        script.src = url;
        this.inside.document.body.appendChild(script);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
