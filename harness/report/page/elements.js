// Making elements. Texts are only ever set as text, so nothing that a target sent can become markup.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function byId(id) {
  return document.getElementById(id);
}

function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}

// A number of milliseconds, as precise as its size needs.
function milliseconds(us) {
  return (us / 1000).toFixed(us < 10000 ? 2 : us < 1000000 ? 1 : 0);
}
