// SPDX-License-Identifier: GPL-3.0-or-later
// Flamenco job type: reduces a folder of clips, each worker a part of it.
// Put it in the `scripts` folder of the Flamenco Manager; the workers' Blender needs Posewright enabled.

const JOB_TYPE = {
    label: "Posewright: reduce clips",
    description: "Turn every .bvh, .fbx, .glb and .blend of a folder into a few keys",
    settings: [
        { key: "clips", type: "string", subtype: "dir_path", required: true,
          description: "Folder of clips, on storage that every worker sees" },
        { key: "results", type: "string", subtype: "dir_path", required: true,
          description: "Folder for the reduced clips" },
        { key: "parts", type: "int32", required: true, default: 8, propargs: { min: 1, max: 1000 },
          description: "How many tasks the folder is cut into" },
        { key: "amount", type: "string", required: true, default: "--share",
          choices: ["--keys", "--share", "--error"],
          description: "What the number below means: keys, percent of the frames, or percent of the height" },
        { key: "number", type: "float", required: true, default: 5.0,
          description: "How many keys, or how many percent" },
        { key: "algorithm", type: "string", required: true, default: "salient",
          choices: ["salient", "greedy", "decimation", "saliency", "keyposes"],
          description: "How keys are chosen" },
        { key: "overwrite", type: "bool", required: false, default: false,
          description: "Replace results that are already there" },
    ],
};

function compileJob(job) {
    for (let part = 1; part <= job.settings.parts; part++) {
        job.addTask(reduceTask(job.settings, part));
    }
}

// The command lists the folder in a fixed order and takes its own part of it, so that
// tasks need to know nothing of each other and a failed one can run again alone.
function reduceTask(settings, part) {
    const task = author.Task(`reduce-${part}-of-${settings.parts}`, "blender");
    task.addCommand(author.Command("exec", {
        exe: "{blender}",
        args: [
            "--background", "--command", "posewright", "reduce", settings.clips,
            "--output", settings.results,
            "--shard", `${part}/${settings.parts}`,
            settings.amount, amountText(settings),
            "--algorithm", settings.algorithm,
            "--json", `${settings.results}/report-${part}.json`,
        ].concat(settings.overwrite ? ["--overwrite"] : []),
    }));
    return task;
}

function amountText(settings) {
    return settings.amount === "--keys" ? `${Math.round(settings.number)}` : `${settings.number}`;
}
